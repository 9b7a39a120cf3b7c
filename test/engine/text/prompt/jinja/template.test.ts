import { describe, expect, test } from "vitest";
import { toValue } from "../../../../../src/engine/text/prompt/jinja/json.js";
import { Template } from "../../../../../src/engine/text/prompt/jinja/template.js";
import { NumberLiteral } from "../../../../../src/engine/text/prompt/jinja/value.js";

const noon = () => new Date(2026, 2, 2, 15, 4, 5);

function render(source: string, variables: Readonly<Record<string, unknown>> = {}): string {
  const values = Object.entries(variables).map(
    ([name, value]) => [name, toValue(value, (text) => text)] as const,
  );
  return new Template(source, noon).render(new Map(values));
}

/** Expected values are those of Jinja 3.1 on Python, unless a test says otherwise. */
describe("Template", () => {
  test.each<[string, string]>([
    ["{{ true }} {{ none }} {{ missing }}|", "True None |"],
    ["{{ [1, 'a', none, true] }}", "[1, 'a', None, True]"],
    ["{{ {'a': \"it's\", 1: 2.0} }}", "{'a': \"it's\", 1: 2.0}"],
    ["{{ 7 / 2 }} {{ 4 / 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 2 ** 3 }}", "3.5 2.0 -4 2 8"],
    ["{{ 1 + 2.0 }} {{ 1 == 1.0 }} {{ 'a' * 3 }} {{ [1] + [2] }}", "3.0 True aaa [1, 2]"],
    ["{{ 'a' ~ 1 ~ none }}", "a1None"],
    [
      "{{ 1 in [1] }} {{ 'b' in 'abc' }} {{ 'a' in {'a': 1} }} {{ 1 not in [1] }}",
      "True True True False",
    ],
    ["{{ 'x' in missing }}", "False"],
    ["{{ 0 or 'b' }} {{ '' and missing.member }}|", "b |"],
    ["{{ 'a' if false }}|{{ 'a' if true else 'b' }}", "|a"],
  ])("evaluates %s", (source, expected) => {
    expect(render(source)).toBe(expected);
  });

  test.each<[string, string]>([
    ["{{ 'abcd'[1:3] }} {{ 'abcd'[-2:] }} {{ 'abcd'[::-1] }} {{ 'abcd'[:-1] }}", "bc cd dcba abc"],
    ["{{ [1,2,3][::2] }} {{ [1,2,3][5:] }} {{ [1,2,3][-1] }}", "[1, 3] [] 3"],
    ["{{ '😀b'[0] }}{{ '😀b' | length }}", "😀2"],
  ])("slices as Python does: %s", (source, expected) => {
    expect(render(source)).toBe(expected);
  });

  test("looks up methods before members after a dot, and members first in brackets", () => {
    const variables = { schema: { items: 1, get: 2 } };
    expect(render("{{ schema['items'] }} {{ schema.items is callable }}", variables)).toBe(
      "1 True",
    );
    expect(render("{{ schema.get('items') }} {{ schema.get('b') }}", variables)).toBe("1 None");
    expect(render("{{ schema.get('b', 'c') }}", variables)).toBe("c");
  });

  test.each<[string, string]>([
    ["{{ ' a b  c '.split() }}", "['a', 'b', 'c']"],
    ["{{ 'a,b,c'.split(',', 1) }} {{ 'a,b,c'.rsplit(',', 1) }}", "['a', 'b,c'] ['a,b', 'c']"],
    ["{{ 'xxaxx'.strip('x') }} {{ 'xa'.lstrip('x') }} {{ ' a '.rstrip() }}|", "a a  a|"],
    ["{{ 'a.b'.replace('.', '$&') }} {{ 'aaa'.replace('a', 'b', 2) }}", "a$&b bba"],
    ["{{ 'ab'.startswith(('x', 'a')) }} {{ 'ab'.endswith('b') }}", "True True"],
    ["{{ '<{}:{}>'.format('a', 1) }} {{ '{x}{{'.format(x=2) }}", "<a:1> 2{"],
    [
      "{{ 'hello wORLD'.title() }} {{ 'aBC'.capitalize() }} {{ 'aB'.upper() }}",
      "Hello World Abc AB",
    ],
    ["{{ ', '.join(['a', 'b']) }}", "a, b"],
  ])("supports Python's string methods: %s", (source, expected) => {
    expect(render(source)).toBe(expected);
  });

  test.each<[string, string]>([
    [
      "{{ missing | default('a') }} {{ '' | default('b', true) }} {{ none | default('c') }}",
      "a b None",
    ],
    ["{{ [3, 1, 2] | sort | join('-') }} {{ ['b', 'A'] | sort }}", "1-2-3 ['A', 'b']"],
    ["{{ {'b': 1, 'A': 2} | dictsort }}", "[['A', 2], ['b', 1]]"],
    ["{{ [1, 2, 1] | unique | list }} {{ [1, 2] | reverse | list }}", "[1, 2] [2, 1]"],
    ["{{ 'a\\nb\\n\\nc' | indent(2) }}", "a\n  b\n\n  c"],
    ["{{ '12a' | int }} {{ '3' | int + 1 }} {{ '2.5' | float }} {{ 2 | float }}", "12 4 2.5 2.0"],
    ["{{ ['a', 'b'] | map('upper') | list }} {{ [1, 0] | select | list }}", "['A', 'B'] [1]"],
    ["{{ [{'a': {'b': 1}}, {}] | map(attribute='a.b', default=0) | list }}", "[1, 0]"],
    [
      "{{ missing | length }} {{ missing | list }} {{ {'a': 1} | items | list }}",
      "0 [] [['a', 1]]",
    ],
    [
      "{{ {'b': 1, 'a': [1, none]} | tojson(indent=1, sort_keys=true) }}",
      '{\n "a": [\n  1,\n  null\n ],\n "b": 1\n}',
    ],
    ["{{ [1, {'a': 2}] | tojson(separators=(',', ':')) }}", '[1,{"a":2}]'],
  ])("supports Jinja's filters: %s", (source, expected) => {
    expect(render(source)).toBe(expected);
  });

  test("selects by attributes and tests", () => {
    const variables = { list: [{ a: 1 }, { a: 2 }, {}] };
    expect(render("{{ list | selectattr('a', 'equalto', 2) | list }}", variables)).toBe(
      "[{'a': 2}]",
    );
    expect(render("{{ list | selectattr('a', 'defined') | list | length }}", variables)).toBe("2");
    expect(render("{{ list | rejectattr('a') | list | length }}", variables)).toBe("1");
  });

  test.each<[string, string]>([
    ["1", "number integer"],
    ["1.5", "number float"],
    ["'a'", "string iterable sequence"],
    ["true", "number boolean true"],
    ["none", "none"],
    ["{}", "mapping iterable sequence"],
    ["[]", "iterable sequence"],
  ])("evaluates the type tests of %s", (literal, expected) => {
    const kinds = "number integer float string boolean true none mapping iterable sequence".split(
      " ",
    );
    const source = kinds.map((kind) => `{{ '${kind} ' if ${literal} is ${kind} }}`).join("");
    expect(render(source).trim()).toBe(expected);
  });

  test.each<[string, string]>([
    [
      "{{ 100000000000000000000.0 }} {{ 0.00001 }} {{ 1000000000000000.0 }}",
      "1e+20 1e-05 1000000000000000.0",
    ],
    ["{{ 123456789012345680.0 }} {{ 0.1 + 0.2 }}", "1.2345678901234568e+17 0.30000000000000004"],
    ["{{ -0.0 }} {{ 0 / -5 }} {{ 0 * -1 }}", "-0.0 -0.0 0"],
    ["{{ large * 2 }} {{ large * -2 }} {{ large - large }}", "inf -inf nan"],
  ])("prints floats as Python does: %s", (source, expected) => {
    const large = new NumberLiteral(Number.POSITIVE_INFINITY, "1e400");
    expect(new Template(source, noon).render(new Map([["large", large]]))).toBe(expected);
  });

  test("treats booleans as numbers, like Python", () => {
    expect(render("{{ true == 1 }} {{ false in [0] }} {{ true == 2 }} {{ '1' == true }}")).toBe(
      "True True False False",
    );
    expect(render("{{ true + 1 }} {{ 3 * false }} {{ 1 + 1 is odd }}")).toBe("2 0 2");
  });

  test.each(["{{ 1 / 0 }}", "{{ 1 // 0 }}", "{{ 1 % 0 }}", "{{ 1 / 0.0 }}"])(
    "rejects division by zero: %s",
    (source) => {
      expect(() => render(source)).toThrow(/division by zero/);
    },
  );

  test("multiplies a string by a number on either side", () => {
    expect(render("{{ 2 * 'ab' }}{{ 'c' * 2 }}{{ -1 * 'd' }}")).toBe("ababcc");
  });

  test("returns string positions in code points, like slices", () => {
    expect(render("{{ '😀b'.find('b') }} {{ '😀b'['😀b'.find('b'):] }}")).toBe("1 b");
    expect(render("{{ 'abcb'.find('b', 2) }} {{ 'abcb'.find('z') }}")).toBe("3 -1");
    expect(render("{{ '😀bcb'.rfind('b') }} {{ 'a'.rfind('z') }} {{ 'ab'.find('b', -1) }}")).toBe(
      "3 -1 1",
    );
  });

  test("treats the same characters as white space as Python", () => {
    const text = "\x1c\x85\u00a0\u3000\ufeffa\u200b\u2029 ";
    expect(render("{{ [text.strip(), text | trim] | map('length') | list }}", { text })).toBe(
      "[3, 3]",
    );
    expect(render("{{ text.lstrip() | length }} {{ text.rstrip() | length }}", { text })).toBe(
      "5 7",
    );
    expect(render("{{ text.split() | length }}", { text: "a\x85b\ufeffc\x1fd" })).toBe("3");
  });

  test.each<[string, string]>([
    ["{{ ' a  b c '.split(maxsplit=1) }}", "['a', 'b c ']"],
    ["{{ ' a  b c '.rsplit(none, 1) }}", "[' a  b', 'c']"],
    ["{{ ' a  b c '.rsplit() }} {{ ' a '.split(none, 0) }}", "['a', 'b', 'c'] ['a ']"],
    ["{{ 'a\\nb\\r\\nc'.splitlines() }} {{ 'a\\n\\n'.splitlines() }}", "['a', 'b', 'c'] ['a', '']"],
    ["{{ ''.splitlines() }}", "[]"],
  ])("splits as Python does: %s", (source, expected) => {
    expect(render(source)).toBe(expected);
  });

  test("capitalises words differently in the filter and the method", () => {
    const source = '{{ "it\'s (a) foo-BAR" | title }} {{ "it\'s (a) foo-BAR".title() }}';
    expect(render(source)).toBe("It's (A) Foo-Bar It'S (A) Foo-Bar");
  });

  test.each<[string, string]>([
    ["{{ 'a😀' | reverse }}", "😀a"],
    ["{{ ['b', 'B', 1, 1] | unique | list }}", "['b', 1]"],
    ["{{ ['b', 'B'] | unique(true) | list }}", "['b', 'B']"],
    ["{{ ','.join('abc') }}", "a,b,c"],
    [
      "{{ dict({'a': 1}, b=2) }} {{ dict([('a', 1)]) }} {{ dict() }}",
      "{'a': 1, 'b': 2} {'a': 1} {}",
    ],
    ["{{ namespace({'a': 1}, b=2).a }}", "1"],
    ["{{ {none: 1, true: 2, 3: 4} | tojson }}", '{"null": 1, "true": 2, "3": 4}'],
  ])("evaluates texts, lists and dictionaries as Jinja does: %s", (source, expected) => {
    expect(render(source)).toBe(expected);
  });

  test("escapes unprintable characters in members of lists, as Python's repr does", () => {
    const text = "\0\x1b\x7f\u00a0\u200d\u2028\ue000\u{e0001} é😀\t\\";
    expect(render("{{ [text] }}", { text })).toBe(
      "['\\x00\\x1b\\x7f\\xa0\\u200d\\u2028\\ue000\\U000e0001 é😀\\t\\\\']",
    );
  });

  test.each<[string, string]>([
    ["select('gt', 1)", "[3, 2]"],
    ["select('>=', 2)", "[3, 2]"],
    ["select('lessthan', 2)", "[1]"],
    ["select('le', 2)", "[1, 2]"],
    ["reject('!=', 3)", "[3]"],
    ["select('divisibleby', 2)", "[2]"],
  ])("supports Jinja's comparison tests: %s", (filter, expected) => {
    expect(render(`{{ [3, 1, 2] | ${filter} | list }}`)).toBe(expected);
  });

  test("reads a template with Windows or old Mac line breaks", () => {
    expect(render("\t{% if true %}\r\nx\r\n{% endif %}\r\ny\rz\r\n")).toBe("x\ny\nz");
  });

  test("supports loops with the loop variable, a condition and else", () => {
    const source =
      "{% for n in list if n != 2 %}{{ loop.index }}/{{ loop.length }}:{{ n }}" +
      "{{ ' prev ' ~ loop.previtem if loop.previtem is defined }}{{ ',' if not loop.last }}" +
      "{% else %}none{% endfor %}";
    expect(render(source, { list: [1, 2, 3] })).toBe("1/2:1,2/2:3 prev 1");
    expect(render(source, { list: [2] })).toBe("none");
    expect(render(source)).toBe("none");
  });

  test("keeps the output of an iteration before break or continue", () => {
    const source =
      "{% for n in [1, 2, 3, 4] %}[{{ n }}{% if n == 2 %}{% continue %}{% endif %}" +
      "{% if n == 3 %}{% break %}{% endif %}]{% endfor %}";
    expect(render(source)).toBe("[1][2[3");
  });

  test("limits assignments to the loop body, except for namespaces", () => {
    const source =
      "{% set a = 1 %}{% set ns = namespace(a=1) %}{% for n in [5] %}{% set a = n %}" +
      "{% set ns.a = n %}{% endfor %}{{ a }} {{ ns.a }}";
    expect(render(source)).toBe("1 5");
  });

  test("unpacks items into several variables", () => {
    expect(render("{% for k, v in d.items() %}{{ k }}{{ v }}{% endfor %}", { d: { a: 1 } })).toBe(
      "a1",
    );
    expect(() => render("{% set a, b = [1] %}")).toThrow(/unpack/);
  });

  test("calls macros with defaults, keywords and a block", () => {
    const source =
      "{% macro m(a, b='B') %}{{ a }}{{ b }}{{ caller() if caller }}{% endmacro %}" +
      "{{ m('x') }} {{ m(b=1, a=2) }} {% call m('y') %}block{% endcall %}";
    expect(render(source)).toBe("xB 21 yBblock");
    expect(() => render("{% macro m() %}{% endmacro %}{{ m(1) }}")).toThrow(/at most 0/);
  });

  test("supports block assignments and filter blocks", () => {
    expect(
      render("{% set a %} b {% endset %}{{ a | trim }}{% filter upper %}c{% endfilter %}"),
    ).toBe("bC");
  });

  test("treats a missing value in a concatenation as empty, like llama.cpp", () => {
    expect(render("{{ 'a' + missing + none }}")).toBe("a");
  });

  test("formats the time of its clock like Python", () => {
    const format = "%Y-%m-%d %y %B %b %A %a %H:%M:%S %I %p %e %-d %% %Q";
    expect(render(`{{ strftime_now('${format}') }}`)).toBe(
      "2026-03-02 26 March Mar Monday Mon 15:04:05 03 PM  2 2 % %Q",
    );
    expect(render("{{ strftime_now('%F %T %R %D %j %h %-m %-H %-I %-M %-S') }}")).toBe(
      "2026-03-02 15:04:05 15:04 03/02/26 061 Mar 3 15 3 4 5",
    );
  });

  test.each<[string, RegExp]>([
    ["{{ raise_exception('stop') }}", /^stop$/],
    ["{{ missing() }}", /missing is not a function/],
    ["{{ 1 | nosuch }}", /No filter named 'nosuch'/],
    ["{{ 1 is nosuch }}", /No test named 'nosuch'/],
    ["{{ 1 | constructor }}", /No filter named 'constructor'/],
    ["{{ [1] < ['a'] }}", /cannot be compared/],
    ["{{ 1 + [] }}", /unsupported operand/],
    ["{% for a in 1 %}{% endfor %}", /int is not iterable/],
    ["{% set missing.a = 1 %}", /namespace/],
    ["{{ range(100001) }}", /range\(\) expects/],
    ["{{ 'a'[::0] }}", /zero/],
  ])("rejects %s", (source, message) => {
    expect(() => render(source)).toThrow(message);
  });

  test("does not expose JavaScript's built-in members", () => {
    expect(render("{{ 'a'.constructor }}{{ {}.constructor }}{{ [].constructor }}|")).toBe("|");
  });
});
