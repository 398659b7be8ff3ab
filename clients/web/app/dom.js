/** Two small makers of elements. No markup is ever written as text, so nothing of a player can become markup. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An HTML element. `props` are properties (`textContent`, `className`, `disabled`, …), handlers (`onclick`), and
 * attributes where the name has a hyphen or is `role`; null and false attributes are left out.
 */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name === "role" || name.includes("-")) {
      if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value);
    } else {
      node[name] = value;
    }
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** An SVG element; all of `attributes` are attributes. */
export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/** Whether the player asked for less motion. */
export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
