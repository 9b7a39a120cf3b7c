const list = (text: string): readonly string[] => text.trim().split(/\s+/);

/** What tools are about; underscores join two words. */
export const nouns = list(`
weather forecast temperature humidity rainfall wind_speed air_quality sunrise sunset tide time
timezone date calendar holiday event meeting appointment reminder alarm timer task note email
message letter contact phone_number address profile account password user customer member order
invoice payment refund receipt price discount coupon budget expense salary tax balance stock
exchange_rate currency loan mortgage interest_rate share bond fund portfolio flight train bus taxi
ride parking hotel room table ticket booking trip route map traffic distance recipe menu
restaurant ingredient calorie diet meal snack drink wine song playlist album artist concert movie
show book author poem podcast video photo game score news article headline blog comment review
rating survey report summary document file folder image word definition synonym translation
spelling grammar sentence language light lamp heater thermostat door window lock camera speaker
vacuum oven fridge television package shipment delivery warehouse product item inventory
stock_level supplier catalog patient doctor prescription medicine symptom blood_test vaccine
appointment_slot student teacher course lesson exam grade homework classroom library_book server
database backup log process container branch commit issue ticket_status release planet star
moon_phase earthquake volcano river_level pollen_count wave_height animal plant tree flower
soil_type crop harvest tractor job vacancy applicant employee shift payroll contract team match
player league stadium race workout heart_rate step_count sleep_record license permit passport visa
vote law court_case battery charger printer scanner router signal password_hint robot drone sensor
elevator museum gallery painting exhibition theater festival recording transcript caption subtitle
chapter bookmark badge voucher locker dashboard turbine climate snowfall visibility dew_point
heat_index season deadline duration schedule countdown stopwatch birthday anniversary holiday_list
weekday invitation guest_list agenda minutes draft attachment inbox spam_folder signature
newsletter notification text_message voicemail call_log ringtone username avatar subscription
membership login session permission wallet_balance bank_account transaction statement credit_card
debt pension insurance claim refund_status invoice_total coupon_code gift_card wishlist cart
checkout return_label courier tracking_number pickup_point postcode stamp mailbox courier_route
ferry cruise rental_car bicycle scooter petrol_price toll gate_number seat layover luggage hostel
campsite landmark viewpoint bridge_status elevation coordinates compass_heading satellite comet
eclipse constellation sunspot avalanche_risk flood_level drought wildfire_risk fishing_spot
bird_count habitat seed fertilizer irrigation greenhouse beehive cattle barn broth marinade
portion nutrition_label allergy vitamin water_intake blood_pressure pulse temperature_log injury
therapy clinic ambulance ward surgery vaccination_card syllabus lecture seminar tutor scholarship
diploma thesis quiz flashcard textbook keyboard_layout wallpaper screenshot firewall certificate
cluster node queue cache_size endpoint webhook pipeline deployment build test_run bug feature_flag
changelog license_key api_token repository pull_request dependency schema table_row column
index_size lawn_mower dishwasher washing_machine dryer blind curtain_position sprinkler doorbell
smoke_alarm radiator humidifier air_purifier coffee_machine kettle garage garden_light trainer gym
swim workout_plan calorie_goal race_result league_table lap goal_count penalty orchestra ballet
opera choir rehearsal lyric chord melody karaoke_track mixtape logo font color_palette sketch
mockup slide chart diagram spreadsheet pivot_table volunteer donation petition survey_result
election candidate mayor embassy customs_form lease tenant landlord rent_payment mortgage_rate
floor_plan inspection renovation shift_swap timesheet bonus interview resume reference_letter
training onboarding_task
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
  ["assign", "assign"],
  ["attach", "attach"],
  ["backup", "back up"],
  ["block", "block"],
  ["build", "build"],
  ["change", "change"],
  ["collect", "collect"],
  ["confirm", "confirm"],
  ["copy", "copy"],
  ["count", "count"],
  ["decline", "decline"],
  ["deploy", "deploy"],
  ["deliver", "deliver"],
  ["describe", "describe"],
  ["dim", "dim"],
  ["download", "download"],
  ["edit", "edit"],
  ["enable", "enable"],
  ["disable", "disable"],
  ["estimate", "estimate"],
  ["export", "export"],
  ["extend", "extend"],
  ["filter", "filter"],
  ["fix", "fix"],
  ["follow", "follow"],
  ["forward", "forward"],
  ["hide", "hide"],
  ["import", "import"],
  ["install", "install"],
  ["invite", "invite"],
  ["join", "join"],
  ["lock", "lock"],
  ["unlock", "unlock"],
  ["log", "log"],
  ["move", "move"],
  ["mute", "mute"],
  ["name", "name"],
  ["notify", "notify"],
  ["pause", "pause"],
  ["pay", "pay"],
  ["plan", "plan"],
  ["play", "play"],
  ["post", "post"],
  ["publish", "publish"],
  ["rank", "rank"],
  ["rename", "rename"],
  ["replace", "replace"],
  ["reply", "reply"],
  ["report", "report"],
  ["request", "request"],
  ["reset", "reset"],
  ["restart", "restart"],
  ["restore", "restore"],
  ["resume", "resume"],
  ["review", "review"],
  ["ship", "ship"],
  ["skip", "skip"],
  ["sort", "sort"],
  ["subscribe", "subscribe"],
  ["summarize", "summarize"],
  ["switch", "switch"],
  ["sync", "sync"],
  ["tag", "tag"],
  ["test", "test"],
  ["transfer", "transfer"],
  ["translate", "translate"],
  ["turn", "turn"],
  ["unsubscribe", "unsubscribe"],
  ["upload", "upload"],
  ["validate", "validate"],
  ["water", "water"],
  ["withdraw", "withdraw"],
];
