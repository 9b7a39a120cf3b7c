const list = (text: string): readonly string[] => text.trim().split(/\s+/);

/** What tools are about; underscores join two words. */
export const nouns = list(`
weather forecast temperature humidity rainfall wind_speed air_quality sunrise sunset tide
time timezone date calendar holiday event meeting appointment reminder alarm timer task note
email message letter contact phone_number address profile account password user customer member
order invoice payment refund receipt price discount coupon budget expense salary tax balance
stock exchange_rate currency loan mortgage interest_rate share bond fund portfolio
flight train bus taxi ride parking hotel room table ticket booking trip route map traffic distance
recipe menu restaurant ingredient calorie diet meal snack drink wine
song playlist album artist concert movie show book author poem podcast video photo game score
news article headline blog comment review rating survey report summary document file folder image
word definition synonym translation spelling grammar sentence language
light lamp heater thermostat door window lock camera speaker vacuum oven fridge television
package shipment delivery warehouse product item inventory stock_level supplier catalog
patient doctor prescription medicine symptom blood_test vaccine appointment_slot
student teacher course lesson exam grade homework classroom library_book
server database backup log process container branch commit issue ticket_status release
planet star moon_phase earthquake volcano river_level pollen_count wave_height
animal plant tree flower soil_type crop harvest tractor
job vacancy applicant employee shift payroll contract
team match player league stadium race workout heart_rate step_count sleep_record
license permit passport visa vote law court_case
battery charger printer scanner router signal password_hint robot drone sensor elevator
museum gallery painting exhibition theater festival
recording transcript caption subtitle chapter bookmark badge voucher locker dashboard turbine
`);

/** Verbs of tools and how a user might say each. */
export const verbs: readonly (readonly [verb: string, spoken: string])[] = [
  ["get", "get"],
  ["get", "tell me"],
  ["get", "show me"],
  ["get", "give me"],
  ["find", "find"],
  ["find", "look for"],
  ["search", "search"],
  ["search", "look up"],
  ["lookup", "look up"],
  ["check", "check"],
  ["fetch", "fetch"],
  ["show", "show me"],
  ["list", "list"],
  ["read", "read"],
  ["create", "create"],
  ["create", "make"],
  ["add", "add"],
  ["set", "set"],
  ["update", "update"],
  ["update", "change"],
  ["delete", "delete"],
  ["delete", "remove"],
  ["remove", "remove"],
  ["cancel", "cancel"],
  ["book", "book"],
  ["reserve", "reserve"],
  ["send", "send"],
  ["start", "start"],
  ["stop", "stop"],
  ["open", "open"],
  ["close", "close"],
  ["track", "track"],
  ["order", "order"],
  ["buy", "buy"],
  ["sell", "sell"],
  ["rent", "rent"],
  ["convert", "convert"],
  ["calculate", "calculate"],
  ["compare", "compare"],
  ["rate", "rate"],
  ["print", "print"],
  ["share", "share"],
  ["save", "save"],
  ["load", "load"],
  ["archive", "archive"],
  ["approve", "approve"],
  ["reject", "reject"],
  ["verify", "verify"],
  ["inspect", "inspect"],
  ["measure", "measure"],
  ["query", "query"],
  ["register", "register"],
  ["renew", "renew"],
  ["repair", "repair"],
  ["scan", "scan"],
  ["schedule", "schedule"],
  ["submit", "submit"],
];
