/** The explicit start of a daily: says what starting means, loads all that the table needs, and starts only then. */

import { PICTURES_FROM } from "./cards.js";
import { dayText, timeText } from "./dates.js";
import { el } from "./dom.js";
import { layOut } from "./layout.js";
import { naming } from "./naming.js";
import { openSheet } from "./sheet.js";

const COURTS = ["J", "Q", "K"].flatMap((rank) => ["S", "H", "D", "C"].map((suit) => `cards/${rank}${suit}.svg`));

/** All that is drawn on this table at this size; modules and words are there already. */
async function loadTable(app, ruleset) {
  if (layOut(ruleset.places, app.area).card.width < PICTURES_FROM) return;
  const load = (path) => {
    const picture = new Image();
    picture.src = path;
    return picture.decode();
  };
  await Promise.all(COURTS.map(load));
}

export function begin(app, day, item, ruleset) {
  const { texts } = app;
  const say = (path, values) => texts.say(`begin.${path}`, values);
  const closes = timeText(texts, day.closes_at, app.clock.now());
  const points = [say("once"), say("clock"), say("until", { closes }), say("open")];
  if (item.certified) points.push(texts.say("daily.certified"));
  const fault = el("p", { className: "fault", role: "alert" });
  const sheet = openSheet(app.root, {
    name: "begin",
    title: texts.title(ruleset),
    closeText: texts.say("settings.close"),
    content: [
      el("p", { className: "day", textContent: texts.say("daily.of", { day: dayText(texts, day.date, "long") }) }),
      el("ul", { className: "points" }, ...points.map((point) => el("li", { textContent: point }))),
      naming(app),
      fault,
    ],
    actions: [
      { text: say("later"), act: () => {} },
      { text: say("loading"), act: () => start(), main: true },
    ],
  });
  app.sheet = sheet;
  const button = sheet.dialog.querySelector(".actions .main");
  button.disabled = true;
  const ready = () => {
    button.textContent = say("start");
    button.disabled = false;
    button.focus();
  };
  loadTable(app, ruleset).then(ready, () => {
    fault.textContent = texts.say("problems.unreachable");
  });

  function start() {
    button.disabled = true;
    fault.textContent = "";
    app.attempt(day.date, ruleset.ruleset).catch((error) => {
      fault.textContent = texts.problem(error);
      button.disabled = false;
    });
    return false;
  }
}
