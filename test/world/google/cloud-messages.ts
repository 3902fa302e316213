/* What Google's servers send to a Chromium, in protocol buffers: the answer to a check-in, and the messages of MCS,
   the connection on which notifications arrive (Chromium's source, google_apis/gcm/protocol). */

const MCS_VERSION = 41
const LOGIN_RESPONSE = 3
const DATA_MESSAGE = 8

function varint(number: number): Buffer {
  const bytes: number[] = []
  let rest = number
  while (rest > 127) {
    bytes.push((rest & 127) | 128)
    rest >>>= 7
  }
  return Buffer.from([...bytes, rest])
}

const numberField = (field: number, number: number): Buffer => Buffer.concat([varint(field * 8), varint(number)])
function bytesField(field: number, content: Uint8Array | string): Buffer {
  const bytes = Buffer.from(content)
  return Buffer.concat([varint(field * 8 + 2), varint(bytes.length), bytes])
}
function fixedField(field: number, number: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(number)
  return Buffer.concat([varint(field * 8 + 1), bytes])
}

const packet = (tag: number, content: Buffer): Buffer =>
  Buffer.concat([Buffer.from([tag]), varint(content.length), content])

/** The answer to a check-in: that all is well, and the browser's id with its secret. */
export const checkInAnswer = (id: bigint, secret: bigint): Buffer =>
  Buffer.concat([numberField(1, 1), fixedField(7, id), fixedField(8, secret)])

/** The server's first message on a connection. */
export const welcome = (): Buffer =>
  Buffer.concat([Buffer.from([MCS_VERSION]), packet(LOGIN_RESPONSE, bytesField(1, 'journey'))])

/** The recipient of a message: what the browser said when it registered. */
export interface Registration {
  /** The browser's own name for itself, and the subscription. */
  app: string
  subscription: string
  /** The application's public key. */
  sender: string
}

/** A notification, as it was encrypted for the browser. */
export function dataMessage({ app, subscription, sender }: Registration, id: string, encrypted: Uint8Array): Buffer {
  const property = (key: string, text: string): Buffer =>
    bytesField(7, Buffer.concat([bytesField(1, key), bytesField(2, text)]))
  return packet(
    DATA_MESSAGE,
    Buffer.concat([
      bytesField(3, sender),
      bytesField(5, app),
      property('subtype', subscription),
      property('content-encoding', 'aes128gcm'),
      bytesField(9, id),
      bytesField(21, encrypted),
    ]),
  )
}
