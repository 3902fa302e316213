/** The `keyCode` of a key that belongs to the input method of someone who composes a character. Safari's last one has no other sign. */
export const COMPOSING = 229
