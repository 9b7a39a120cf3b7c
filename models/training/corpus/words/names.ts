const list = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Given names from many places. */
export const givenNames = list(`
Anna Ben Clara David Emma Felix Grace Henry Iris Jack Kate Leo Mia Noah Olivia Paul Rosa Sam Tina
Victor Wendy Zoe Adam Bella Carlos Diana Elena Frank Gina Hugo Ivan Julia Karl Laura Marco Nina
Oscar Petra Quinn Robert Sofia Tom Ursula Vera Walter Yara Amir Bruno Carmen Dario Ella Fatima
George Hannah Isaac Jonas Kira Liam Maria Nadia Omar Pia Ravi Sara Theo Uma Vincent Wanda Yusuf
Alice Bob Charlie Daisy Eric Fiona Greta Harold Ingrid James Kevin Linda Martin Nora Otto Priya
Ralph Stella Tara Ulrich Viola Will Xenia Yuki Zara Arthur Bianca Cedric Dora Edgar Flora Gustav
Helena Igor Jana Klaus Lena Max Nils Olga Peter Rita Simon Thea Umberto Valerie Wilma Yvonne
Aiko Bashir Chiara Dmitri Esther Farid Gloria Hassan Imani Jorge Kofi Lucia Mateo Naomi Olaf
Pablo Rania Stefan Tomas Ulla Viktor Wren Yasmin Zeno Abby Brian Cora Dylan Edith Floyd Gwen Hazel
Irene Jasper Keith Lily Miles Nancy Owen Pearl Roger Susan Toby Vivian Wesley Ada Basil Celia
Dean Elsa Fred Gail Hope Ian Jill Kurt Lars Mona Ned Opal Pete Rex Sybil Ted Una Vince Walt Zack
Aaron Betty Colin Denise Ernest Frida Gordon Heidi Ivy Joel Karen Lloyd Mabel Neil Ophelia Percy
Ruth Stan Tess Umar Vikram Winston Yolanda Zelda
`);

/** Family names. */
export const familyNames = list(`
Adams Baker Carter Dixon Evans Fisher Grant Hughes Irving Jensen Keller Lopez Mason Nolan Ortiz
Parker Quincy Reed Stone Turner Vance Walker Young Abbott Becker Castle Duarte Engel Ferrari Gomez
Hansen Ito Jacobs Kowalski Lindgren Meyer Novak Olsen Petrov Rossi Schmidt Tanaka Ueda Vogel Weber
Ziegler Brooks Collins Drake Ellis Foster Gibson Harper Ingram Jordan Knight Lambert Moreau Nash
Osborne Porter Ramsey Sawyer Thorne Underwood Vaughn Whitman York Zhang Kaplan Moreno Silva Khan
`);
