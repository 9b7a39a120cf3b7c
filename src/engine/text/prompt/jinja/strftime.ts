const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/** Python's `strftime` in the C locale and local time; an unknown directive stays as it is. */
export function strftime(date: Date, format: string): string {
  const month = MONTHS[date.getMonth()] ?? "";
  const day = DAYS[date.getDay()] ?? "";
  const parts: Readonly<Record<string, string>> = {
    "%Y": String(date.getFullYear()),
    "%y": twoDigits(date.getFullYear() % 100),
    "%m": twoDigits(date.getMonth() + 1),
    "%d": twoDigits(date.getDate()),
    "%e": String(date.getDate()).padStart(2),
    "%-d": String(date.getDate()),
    "%B": month,
    "%b": month.slice(0, 3),
    "%A": day,
    "%a": day.slice(0, 3),
    "%H": twoDigits(date.getHours()),
    "%I": twoDigits(date.getHours() % 12 || 12),
    "%p": date.getHours() < 12 ? "AM" : "PM",
    "%M": twoDigits(date.getMinutes()),
    "%S": twoDigits(date.getSeconds()),
    "%%": "%",
  };
  return format.replace(/%-?[A-Za-z%]/g, (directive) => parts[directive] ?? directive);
}

function twoDigits(number: number): string {
  return String(number).padStart(2, "0");
}
