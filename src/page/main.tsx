import { render } from "preact";
import { App } from "./app.js";
import { followTitle } from "./parts/tab-title.js";
import { followAddress } from "./route.js";
import { beginSession } from "./session.js";
import { takeReturn } from "./sign-in/login.js";

const root = document.getElementById("page");
if (root === null) throw new Error("expected an element #page in index.html");

const returned = takeReturn();
followAddress();
followTitle();
render(<App />, root);
void beginSession(returned);
