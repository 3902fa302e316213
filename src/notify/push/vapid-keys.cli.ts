import { makeVapidKeys } from './vapid.ts'

/*
 * `npm run vapid-keys`: makes the pair of keys that push services know us by. With another pair, every device has to be added anew.
 */

const { publicKey, privateKey } = await makeVapidKeys()
console.log(`VAPID_PUBLIC_KEY=${publicKey}\nVAPID_PRIVATE_KEY=${privateKey}`)
