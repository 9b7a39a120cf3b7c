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

/**
 * Formats a date like Python's `strftime` in the C locale and local time; an unknown directive is
 * kept.
 */
export function strftime(date: Date, format: string): string {
  const month = MONTHS[date.getMonth()] ?? "";
  const day = DAYS[date.getDay()] ?? "";
  const year = String(date.getFullYear());
  const [monthDigits, dayDigits] = [
    formatTwoDigits(date.getMonth() + 1),
    formatTwoDigits(date.getDate()),
  ];
  const time = `${formatTwoDigits(date.getHours())}:${formatTwoDigits(date.getMinutes())}`;
  const parts: Readonly<Record<string, string>> = {
    "%Y": year,
    "%y": formatTwoDigits(date.getFullYear() % 100),
    "%m": monthDigits,
    "%-m": String(date.getMonth() + 1),
    "%d": dayDigits,
    "%e": String(date.getDate()).padStart(2),
    "%-d": String(date.getDate()),
    "%B": month,
    "%b": month.slice(0, 3),
    "%h": month.slice(0, 3),
    "%A": day,
    "%a": day.slice(0, 3),
    "%H": formatTwoDigits(date.getHours()),
    "%-H": String(date.getHours()),
    "%I": formatTwoDigits(date.getHours() % 12 || 12),
    "%-I": String(date.getHours() % 12 || 12),
    "%p": date.getHours() < 12 ? "AM" : "PM",
    "%M": formatTwoDigits(date.getMinutes()),
    "%-M": String(date.getMinutes()),
    "%S": formatTwoDigits(date.getSeconds()),
    "%-S": String(date.getSeconds()),
    "%j": String(dayOfYear(date)).padStart(3, "0"),
    "%F": `${year}-${monthDigits}-${dayDigits}`,
    "%D": `${monthDigits}/${dayDigits}/${formatTwoDigits(date.getFullYear() % 100)}`,
    "%R": time,
    "%T": `${time}:${formatTwoDigits(date.getSeconds())}`,
    "%%": "%",
  };
  return format.replace(/%-?[A-Za-z%]/g, (directive) => parts[directive] ?? directive);
}

/** Returns the day of the year, 1 to 366. Computed in UTC, where every day has 24 hours. */
function dayOfYear(date: Date): number {
  const day = Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
  return (day - Date.UTC(date.getFullYear(), 0, 0)) / 86_400_000;
}

function formatTwoDigits(number: number): string {
  return String(number).padStart(2, "0");
}
