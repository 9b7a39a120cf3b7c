/** The grammar of Codex's tool apply_patch. */
export const APPLY_PATCH = `start: begin_patch hunk+ end_patch
begin_patch: "*** Begin Patch" LF
end_patch: "*** End Patch" LF?

hunk: add_hunk | delete_hunk | update_hunk
add_hunk: "*** Add File: " filename LF add_line+
delete_hunk: "*** Delete File: " filename LF
update_hunk: "*** Update File: " filename LF change_move? change?

filename: /(.+)/
add_line: "+" /(.*)/ LF -> line

change_move: "*** Move to: " filename LF
change: (change_context | change_line)+ eof_line?
change_context: ("@@" | "@@ " /(.+)/) LF
change_line: ("+" | "-" | " ") /(.*)/ LF
eof_line: "*** End of File" LF

%import common.LF
`;

/** A patch with every kind of hunk. */
export const PATCH = `*** Begin Patch
*** Add File: src/é.ts
+const text = "a\\tb";
+
*** Delete File: old name.md
*** Update File: src/a.ts
*** Move to: src/b.ts
@@ class A
 before
-</parameter> "x"
+\u{1f600}
@@
*** End of File
*** End Patch`;
