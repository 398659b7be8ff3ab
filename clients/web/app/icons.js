/** The few signs on buttons, as strokes in a box of 24. */

import { svg } from "./dom.js";

const SIGNS = {
  undo: "M9 6 4.5 10.5 9 15M5 10.5h9a5 5 0 0 1 0 10h-3",
  new: "M8 4h10.5v14M5 7.5h10.5V21H5zM10.25 11.5v5.5M7.5 14.25H13",
  settings: "M4 7h9M18 7h2M4 17h2M11 17h9M15.5 4.5v5M8.5 14.5v5",
  giveUp: "M6 21V4M6 5c4-2.5 7 2.5 12 0v8c-5 2.5-8-2.5-12 0",
  home: "M15.5 4.2A8.5 8.5 0 1 0 20 14.6 7 7 0 0 1 15.5 4.200",
  close: "M6 6l12 12M18 6 6 18",
  board: "M5 20v-6h4v6M10 20V5h4v15M15 20v-9h4v9M3.5 20h17",
  play: "M8 5.500v13l10.5-6.500z",
  pause: "M8.5 5.500v13M15.5 5.500v13",
  next: "M7 5.500v13l9-6.500zM18 5.500v13",
  back: "M17 5.500v13l-9-6.500zM6 5.500v13",
  earlier: "M14.5 5.5 8 12l6.5 6.5",
  share: "M12 15V4M8 7.5 12 3.500l4 4M6 12v8h12v-8",
  edit: "M5 19l1-4L16 5l3 3L9 18zM13.5 7.500l3 3",
  go: "M9 5.500l6.5 6.500L9 18.5",
};

export function icon(name) {
  return svg("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, svg("path", { d: SIGNS[name] }));
}
