const list = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Verb of a tool, and its form in a request. */
export type SpokenVerb = readonly [verb: string, spoken: string];

/** Nouns of tools; underscores join two words. */
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

/** Verbs of tools, each with its form in a request: identical, or as given after `=`. */
export const verbs: readonly SpokenVerb[] = list(`
get get=tell_me get=show_me get=give_me find find=look_for search search=look_up lookup=look_up
check fetch show=show_me list read create create=make add set update update=change delete
delete=remove remove cancel book reserve send start stop open close track order buy sell rent
convert calculate compare rate print share save load archive approve reject verify inspect measure
query register renew repair scan schedule submit assign attach backup=back_up block build change
collect confirm copy count decline deploy deliver describe dim download edit enable disable
estimate export extend filter fix follow forward hide import install invite join lock unlock log
move mute name notify pause pay plan play post publish rank rename replace reply report request
reset restart restore resume review ship skip sort subscribe summarize switch sync tag test
transfer translate turn unsubscribe upload validate water withdraw
`).map((entry) => {
  const [verb = "", spoken = verb] = entry.replaceAll("_", " ").split("=");
  return [verb, spoken];
});
