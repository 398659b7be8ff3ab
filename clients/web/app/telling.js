/** What a change of the game is called, for those who listen. */

export function tell(texts, table, view, { kind, data }) {
  const values = { score: view.score };
  if (kind === "moved") {
    const cards = texts.cards(data.cards);
    if (data.remove) return texts.say("table.removed", { ...values, cards });
    return texts.say("table.moved", { ...values, cards, place: table.nameOf(table.specOf(data.to)) });
  }
  if (kind === "undone") return texts.say("table.undone", values);
  if (kind === "opened") {
    const [game] = view.ruleset.split(/\d/);
    const name = texts.has(`games.${game}`) ? texts.say(`games.${game}`) : view.ruleset;
    return `${texts.say("table.opened", { game: name, code: view.code ?? "" })} ${texts.say("table.keys")}`;
  }
  return "";
}
