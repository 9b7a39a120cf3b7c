const list = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Towns. */
export const places = list(`
Paris London Berlin Madrid Rome Vienna Oslo Lisbon Dublin Athens Prague Warsaw Helsinki Stockholm
Copenhagen Budapest Brussels Amsterdam Hamburg Munich Milan Naples Venice Porto Seville Valencia
Lyon Nice Zurich Geneva Basel Boston Chicago Denver Dallas Seattle Miami Toronto Montreal Vancouver
Sydney Melbourne Perth Auckland Tokyo Kyoto Osaka Seoul Beijing Shanghai Mumbai Delhi Cairo Nairobi
Lagos Accra Lima Bogota Quito Santiago Havana Austin Portland Phoenix Houston Atlanta Cleveland
Bristol Leeds York Glasgow Cardiff Belfast Cork Galway Bergen Turku Malmo Gdansk Krakow Riga Tallinn
Vilnius Zagreb Split Sofia Varna Istanbul Ankara Izmir Tunis Rabat Dakar Durban Manila Jakarta Hanoi
`);

/** Animals. */
export const animals = list(`
dog cat horse cow pig goat sheep duck hen goose rabbit mouse rat fox wolf bear lion tiger zebra
giraffe elephant monkey camel deer moose otter beaver badger squirrel hedgehog owl eagle hawk crow
robin parrot swan penguin frog toad snake lizard turtle crab lobster whale dolphin shark seal salmon
bee ant spider butterfly snail koala panda kangaroo llama donkey hamster ferret
`);

/** Foods and drinks. */
export const foods = list(`
apple pear plum cherry banana orange lemon grape melon peach mango kiwi carrot potato tomato onion
garlic pepper cabbage spinach lettuce pumpkin bean pea corn rice bread butter cheese milk yogurt egg
honey sugar salt flour pasta pizza soup salad stew pancake waffle biscuit cake cookie pie jam toast
tea coffee juice cocoa water ham tofu noodle dumpling taco burger sandwich walnut almond raisin fig
`);

/** Things. */
export const things = list(`
table chair lamp book pen pencil paper door window key lock clock watch phone radio camera mirror
picture box bag bottle cup plate bowl spoon fork knife pan pot stove oven fridge bed pillow blanket
carpet curtain shelf drawer basket bucket broom brush soap towel comb hat coat shirt sock shoe boot
glove scarf belt ring coin wallet ticket map letter stamp card ball kite drum flute guitar piano
violin bell candle torch rope ladder hammer nail saw screw wheel bike car bus train boat ship plane
rocket bridge tower castle garden fence gate tree flower leaf rock river lake hill island cloud star
moon needle thread button ribbon feather shell marble puzzle robot magnet battery wire engine anchor
compass lantern tent stone umbrella whistle helmet shovel barrel statue blossom harbor meadow canyon
`);

/** Occupations. */
export const jobs = list(`
teacher doctor nurse farmer baker butcher pilot sailor painter writer singer dancer actor lawyer
judge chef waiter gardener plumber carpenter builder driver mechanic tailor barber dentist librarian
engineer chemist firefighter postman fisherman miner potter weaver photographer journalist
`);

/** Adjectives. */
export const adjectives = list(`
big small old new young tall short long wide narrow heavy light fast slow hot cold warm cool dry wet
clean dirty bright dark loud quiet soft hard smooth rough sweet sour bitter fresh strong weak brave
shy happy sad angry calm kind proud clever funny gentle honest lucky busy tired hungry tiny huge
round flat sharp blunt deep thick thin empty full rich poor cheap plain fancy silent golden silver
wooden rusty dusty sunny rainy windy foggy frozen curious patient clumsy nimble
`);

/** Colours. */
export const colours = list(`
red blue green yellow orange purple pink brown black white grey
`);
