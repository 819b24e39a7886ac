// A form of the bot, as a dialog: the browser keeps the focus inside and closes it on
// Escape.
import { Refused, call } from "./api.js";
import { TYPE, channelItems, itemsOf, peopleItems, roleItems, withDefaults } from "./components.js";
import { h, icon } from "./dom.js";
import { markdown } from "./markdown.js";
import { Picker, pickerPlaceholder } from "./picker.js";
import { refusal, t } from "./words.js";

/**
 * One field. `problem` returns a sentence, or null if the value is valid.
 * @typedef {{ customId: string, element: HTMLElement, read: () => any, problem: () => string | null }} Control
 */
/** @typedef {import("./markdown.js").Names} Names */
/** @typedef {{ controls: Control[], world: import("./world.js").World, names: Names, channelId: string }} Form */

let serial = 0;

/**
 * Shows the form of a "modal" frame.
 *
 * @param {{ interaction_id: string, channel_id: string, modal: { title: string, components: any[] } }} frame
 * @param {import("./world.js").World} world
 * @param {Names} names
 * @returns {HTMLDialogElement}
 */
export function showModal({ interaction_id, channel_id: channelId, modal }, world, names) {
  /** @type {Control[]} */
  const controls = [];
  const body = modal.components.map((component) => partElement(component, { controls, world, names, channelId }));
  const problem = h("p", { class: "problem", role: "alert" });
  const submit = h("button", { type: "submit", class: "button primary" }, t("submit"));
  const titleId = `modal-${++serial}`;
  const form = h(
    "form",
    { method: "dialog", novalidate: true },
    h(
      "header",
      {},
      h("h2", { id: titleId }, modal.title),
      h(
        "button",
        { type: "button", class: "round", "aria-label": t("close"), onclick: () => dialog.close() },
        icon("close"),
      ),
    ),
    h("div", { class: "modal-body" }, body),
    problem,
    h(
      "footer",
      {},
      h("button", { type: "button", class: "button secondary", onclick: () => dialog.close() }, t("cancel")),
      submit,
    ),
  );
  const dialog = h("dialog", { class: "modal", "aria-labelledby": titleId }, form);
  form.addEventListener("input", () => (problem.textContent = ""));
  form.addEventListener("submit", async (/** @type {Event} */ event) => {
    event.preventDefault();
    problem.textContent = controls.map((control) => control.problem()).find(Boolean) ?? "";
    if (problem.textContent) return;
    submit.disabled = true;
    try {
      const values = Object.fromEntries(controls.map((control) => [control.customId, control.read()]));
      await call("POST", `/app/people/${world.me.id}/modals`, { interaction_id, values });
      dialog.close();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      problem.textContent = refusal(error);
    } finally {
      submit.disabled = false;
    }
  });
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  dialog.querySelector(".modal-body input, .modal-body textarea, .modal-body button")?.focus();
  return dialog;
}

/**
 * @param {any} component
 * @param {Form} form
 * @returns {HTMLElement}
 */
function partElement(component, form) {
  if (component.type === TYPE.text)
    return h("div", { class: "prose" }, markdown(component.content, form.names));
  if (component.type === TYPE.label)
    return labelled(component.component, component.label, component.description, form);
  return h("p", { class: "soft" }, t("cannotShow"));
}

/**
 * @param {any} component
 * @param {string} label
 * @param {string | null} description
 * @param {Form} form
 */
function labelled(component, label, description, { controls, world, channelId }) {
  const make = CONTROLS[component.type];
  if (!make) return h("p", { class: "soft" }, t("cannotShow"));
  const id = `control-${++serial}`;
  const control = { customId: component.custom_id, ...make(component, { id, label, world, channelId }) };
  controls.push(control);
  const star = (component.required ?? true) && h("span", { class: "required", title: t("required") }, " *");
  return h(
    "div",
    { class: "control" },
    h("label", { for: id, class: "control-label" }, label, star),
    description && h("p", { class: "soft", id: `${id}-about` }, description),
    control.element,
  );
}

/** @typedef {{ id: string, label: string, world: import("./world.js").World, channelId: string }} Place */
/** @type {Record<number, (component: any, place: Place) => Omit<Control, "customId">>} */
const CONTROLS = {
  [TYPE.textInput]: textInput,
  [TYPE.stringSelect]: (select, place) => menu(select, place, itemsOf(select)),
  [TYPE.userSelect]: (select, place) =>
    menu(select, place, withDefaults(select, peopleItems(place.world.people))),
  [TYPE.channelSelect]: (select, place) =>
    menu(
      select,
      place,
      withDefaults(select, channelItems(place.world.channelsFor(place.channelId, select.channel_types))),
    ),
  [TYPE.roleSelect]: (select, place) =>
    menu(select, place, withDefaults(select, roleItems(place.world.rolesFor(place.channelId)))),
};

/** @param {any} component @param {Place} place */
function textInput(component, { id, label }) {
  const {
    style,
    placeholder,
    value,
    required = true,
    min_length: least = 0,
    max_length: most = 4000,
  } = component;
  const attributes = {
    id,
    placeholder,
    maxlength: most ?? 4000,
    "aria-required": String(required ?? true),
    class: "text-input",
    data: { "custom-id": component.custom_id },
  };
  const field =
    style === 2
      ? h("textarea", { ...attributes, rows: 5 })
      : h("input", { ...attributes, type: "text", autocomplete: "off" });
  field.value = value ?? "";
  const problem = () => {
    if (!field.value.trim()) return required === false ? null : t("optionMissing", { option: label });
    return field.value.length < (least ?? 0) ? t("tooShort", { option: label, min: least }) : null;
  };
  return { element: field, read: () => field.value, problem };
}

/** @param {any} select @param {Place} place @param {import("./picker.js").Item[]} items */
function menu(select, { id, label }, items) {
  const { min_values, max_values, required = true, placeholder } = select;
  const min = min_values ?? (required === false ? 0 : 1);
  const max = max_values ?? 1;
  const picker = new Picker({
    items,
    min,
    max,
    id,
    label,
    placeholder: placeholder || pickerPlaceholder(min, max),
  });
  picker.button.dataset.customId = select.custom_id;
  return {
    element: picker.element,
    read: () => picker.values,
    problem: () => tooFew(picker.values.length, { min, required, label }),
  };
}

/** @param {number} count @param {{ min: number, required: boolean | undefined, label: string }} wish */
function tooFew(count, { min, required, label }) {
  if (count === 0 && required === false) return null;
  return count < min ? t("chooseAtLeast", { option: label, min }) : null;
}
