const pairs = (text: string): readonly (readonly [string, string])[] =>
  text
    .trim()
    .split(/\s*,\s*/)
    .map((entry) => {
      const [left = "", right = ""] = entry.split("=");
      return [left.trim(), right.trim()] as const;
    });

/** Countries and their capitals. */
export const capitals = pairs(`
France=Paris, Germany=Berlin, Spain=Madrid, Italy=Rome, Austria=Vienna, Norway=Oslo,
Portugal=Lisbon, Ireland=Dublin, Greece=Athens, Poland=Warsaw, Finland=Helsinki, Sweden=Stockholm,
Denmark=Copenhagen, Hungary=Budapest, Belgium=Brussels, Switzerland=Bern, Japan=Tokyo,
China=Beijing, India=New Delhi, Egypt=Cairo, Kenya=Nairobi, Peru=Lima, Cuba=Havana,
Canada=Ottawa, Australia=Canberra, Russia=Moscow, Turkey=Ankara, Iceland=Reykjavik,
England=London, Mexico=Mexico City, Brazil=Brasilia, Argentina=Buenos Aires, Chile=Santiago,
Thailand=Bangkok, Vietnam=Hanoi, Ukraine=Kyiv, Romania=Bucharest, Croatia=Zagreb,
Morocco=Rabat, Colombia=Bogota, Scotland=Edinburgh, South Korea=Seoul
`);

/** Alternative names of countries, which occur only in questions by country. */
export const otherCapitals = pairs(`
the United States=Washington, the USA=Washington, America=Washington, the UK=London,
Great Britain=London, the Netherlands=Amsterdam, Holland=Amsterdam, the Czech Republic=Prague
`);

/** Things and their colour. */
export const colourOf = pairs(`
grass=green, the sky=blue, snow=white, blood=red, the sun=yellow, coal=black, a lemon=yellow,
a carrot=orange, a tomato=red, milk=white, a banana=yellow, the night=black, an elephant=grey,
chocolate=brown, a frog=green, a strawberry=red, an orange=orange, the sea=blue, a polar bear=white,
a leaf=green, a crow=black, a cucumber=green, a cloud=white, a flamingo=pink, a fire truck=red
`);

/** Opposites, which apply in both directions. */
export const opposites = pairs(`
hot=cold, big=small, fast=slow, light=dark, day=night, up=down, left=right, open=closed, old=young,
happy=sad, rich=poor, full=empty, hard=soft, high=low, long=short, wet=dry, early=late, good=bad,
strong=weak, thick=thin, loud=quiet, clean=dirty, near=far, first=last, inside=outside, true=false,
wide=narrow, begin=end, black=white, friend=enemy, love=hate, win=lose, buy=sell, deep=shallow,
push=pull, yes=no, north=south, east=west, alive=dead, easy=difficult, cheap=expensive,
safe=dangerous, beautiful=ugly, start=stop, come=go, top=bottom, front=back, summer=winter, war=peace,
before=after, above=below, smooth=rough, sweet=sour, sharp=blunt, remember=forget, give=take,
asleep=awake
`);

/** Opposites that apply in one direction, because the second word has another opposite. */
const oneWayOpposites = pairs(`
tall=short, heavy=light, new=old, fat=thin, kind=cruel, cool=warm
`);

/** Every word with its opposite: pairs in both directions, and those of one direction. */
export const askedOpposites = [
  ...opposites,
  ...opposites.map(([word, other]) => [other, word] as const),
  ...oneWayOpposites,
];

/** Things and their properties: adjectives that have an opposite. */
export const qualities = pairs(`
fire=hot, ice=cold, snow=cold, the sun=hot, honey=sweet, sugar=sweet, a lemon=sour, a stone=hard,
a pillow=soft, an elephant=big, a mouse=small, a snail=slow, a rocket=fast, water=wet, the desert=dry,
a giraffe=tall, a whisper=quiet, thunder=loud, a needle=sharp, the sea=deep
`);

/** Abilities: who can do a thing, and a thing that they cannot do. */
export const abilities: readonly (readonly [who: string, can: string, cannot: string])[] = [
  ["birds", "fly", "read"],
  ["fish", "swim", "walk"],
  ["dogs", "bark", "fly"],
  ["cats", "climb", "drive"],
  ["horses", "run", "fly"],
  ["frogs", "jump", "sing"],
  ["ducks", "swim", "cook"],
  ["planes", "fly", "swim"],
  ["ships", "float", "fly"],
  ["stones", "fall", "swim"],
  ["people", "talk", "fly"],
  ["snakes", "crawl", "jump"],
  ["rabbits", "hop", "fly"],
  ["babies", "cry", "drive"],
  ["bees", "fly", "talk"],
  ["cows", "walk", "climb"],
  ["lions", "roar", "fly"],
  ["trees", "grow", "run"],
];

/** Animals and the sound they make. */
export const sounds = pairs(`
dog=woof, cat=meow, cow=moo, duck=quack, sheep=baa, pig=oink, horse=neigh, lion=roar, bee=buzz,
snake=hiss, owl=hoot, frog=ribbit, mouse=squeak, rooster=cock-a-doodle-doo
`);

/** Animals and their young. */
export const young = pairs(`
dog=puppy, cat=kitten, cow=calf, duck=duckling, sheep=lamb, pig=piglet, horse=foal, lion=cub,
hen=chick, goat=kid, frog=tadpole, bear=cub, goose=gosling
`);

/** Common knowledge of children, as question and short answer. */
export const common = pairs(`
How many legs does a dog have?=A dog has 4 legs.,
How many legs does a spider have?=A spider has 8 legs.,
How many legs does a bird have?=A bird has 2 legs.,
How many legs does an insect have?=An insect has 6 legs.,
How many days are in a week?=A week has 7 days.,
How many months are in a year?=A year has 12 months.,
How many hours are in a day?=A day has 24 hours.,
How many minutes are in an hour?=An hour has 60 minutes.,
How many seconds are in a minute?=A minute has 60 seconds.,
How many days are in a year?=A year has 365 days.,
How many weeks are in a year?=A year has 52 weeks.,
How many fingers does a hand have?=A hand has 5 fingers.,
How many letters are in the alphabet?=The alphabet has 26 letters.,
How many wheels does a car have?=A car has 4 wheels.,
How many wheels does a bicycle have?=A bicycle has 2 wheels.,
How many sides does a triangle have?=A triangle has 3 sides.,
How many sides does a square have?=A square has 4 sides.,
How many seasons are in a year?=A year has 4 seasons.,
How many continents are there?=There are 7 continents.,
What do bees make?=Bees make honey.,
What do cows give?=Cows give milk.,
What is frozen water called?=Frozen water is called ice.,
What is the largest ocean?=The largest ocean is the Pacific Ocean.,
What is the largest planet?=The largest planet is Jupiter.,
What planet do we live on?=We live on the planet Earth.,
What is the highest mountain?=The highest mountain is Mount Everest.,
Where does the sun rise?=The sun rises in the east.,
Where does the sun set?=The sun sets in the west.,
What do plants need to grow?=Plants need light and water to grow.,
What is the tallest animal?=The tallest animal is the giraffe.,
What is the largest animal?=The largest animal is the blue whale.,
What is the first letter of the alphabet?=The first letter of the alphabet is A.,
What is the last letter of the alphabet?=The last letter of the alphabet is Z.,
Is the earth flat?=The earth is round and so no.,
Is the earth round?=The earth is round and so yes.,
Is a whale a fish?=A whale is an animal that swims and so no.,
What is machine learning?=Machine learning means that programs learn from examples.,
What is AI?=AI means programs that do what seems to need a mind.,
What is a neural network?=A neural network is a program that learns from examples.,
What is a language model?=A language model guesses the next word of a text.,
What is a LLM?=A language model guesses the next word of a text.,
What is an LLM?=A language model guesses the next word of a text.,
What is llama.cpp?=llama.cpp is a library that runs language models.,
What is Node.js?=Node.js runs JavaScript outside of a browser.,
What is ggufd?=ggufd is a daemon that serves GGUF models over HTTP.,
What is GGUF?=A GGUF file holds the weights and the vocabulary of a language model.,
What is a GGUF?=A GGUF file holds the weights and the vocabulary of a language model.,
What is a GGUF file?=A GGUF file holds the weights and the vocabulary of a language model.
`);

/** Days of the week, from Monday. */
export const days = [
  "Monday",
  "Tuesday",
  "Wednesday",
  "Thursday",
  "Friday",
  "Saturday",
  "Sunday",
] as const;

/** Months of the year. */
export const months = [
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
] as const;

/** Ordinal words from first to twelfth. */
export const ordinals = [
  "first",
  "second",
  "third",
  "fourth",
  "fifth",
  "sixth",
  "seventh",
  "eighth",
  "ninth",
  "tenth",
  "eleventh",
  "twelfth",
] as const;

/** Number words from zero to twenty. */
export const numberWords = [
  "zero",
  "one",
  "two",
  "three",
  "four",
  "five",
  "six",
  "seven",
  "eight",
  "nine",
  "ten",
  "eleven",
  "twelve",
  "thirteen",
  "fourteen",
  "fifteen",
  "sixteen",
  "seventeen",
  "eighteen",
  "nineteen",
  "twenty",
] as const;

/** Categories with members. */
export const categories: Readonly<Record<string, readonly string[]>> = {
  fruits: ["apple", "banana", "orange", "pear", "cherry", "grape", "lemon", "plum"],
  vegetables: ["carrot", "potato", "tomato", "onion", "cabbage", "pea", "bean", "pumpkin"],
  animals: ["dog", "cat", "horse", "cow", "lion", "tiger", "bear", "wolf"],
  colours: ["red", "blue", "green", "yellow", "orange", "purple", "black", "white"],
  countries: ["France", "Germany", "Spain", "Italy", "Japan", "China", "India", "Egypt"],
  cities: ["Paris", "London", "Berlin", "Madrid", "Rome", "Tokyo", "Cairo", "Vienna"],
  birds: ["robin", "owl", "eagle", "crow", "duck", "swan", "parrot", "penguin"],
  drinks: ["water", "tea", "coffee", "milk", "juice", "cocoa", "lemonade", "soda"],
  tools: ["hammer", "saw", "screwdriver", "drill", "shovel", "axe", "wrench", "rake"],
  flowers: ["rose", "tulip", "daisy", "lily", "violet", "sunflower", "orchid", "poppy"],
  sports: ["football", "tennis", "swimming", "running", "golf", "hockey", "boxing", "skiing"],
  planets: ["Mercury", "Venus", "Earth", "Mars", "Jupiter", "Saturn", "Uranus", "Neptune"],
  instruments: ["piano", "guitar", "violin", "flute", "drum", "trumpet", "harp", "cello"],
  clothes: ["shirt", "trousers", "dress", "coat", "hat", "sock", "shoe", "scarf"],
  jobs: ["teacher", "doctor", "nurse", "farmer", "baker", "pilot", "cook", "painter"],
  vehicles: ["car", "bus", "train", "bicycle", "boat", "plane", "truck", "tram"],
  days: days,
  months: months,
};
