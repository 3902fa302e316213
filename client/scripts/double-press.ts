/** How long a second press of a form's button is ignored, in ms: the answer to the first is on its way. */
export const DOUBLE_PRESS_MS = 2000
const sentAt = new WeakMap<EventTarget, number>()

/** Whether the form was sent just before; otherwise this counts as sending it. */
export function isDoublePress(form: EventTarget, at: number): boolean {
  const isDouble = at - (sentAt.get(form) ?? -Infinity) < DOUBLE_PRESS_MS
  if (!isDouble) sentAt.set(form, at)
  return isDouble
}
