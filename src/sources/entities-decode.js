/*
 * What `entities/decode` is in the bundle (wrangler.toml): htmlparser2 takes a decoder from it and a table of all 2,231 names, neither
 * of which is used, because references are decoded by references.ts.
 */
export { replaceCodePoint } from '../../node_modules/entities/dist/decode-codepoint.js'
export class EntityDecoder {}
export const DecodingMode = {}
export const htmlDecodeTree = null
export const xmlDecodeTree = null
