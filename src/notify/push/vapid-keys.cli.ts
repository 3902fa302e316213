import { makeVapidKeys } from './vapid.ts'

/* `npm run vapid-keys`: a new key pair for push services; with another one, every device must be added again. */

const usage = `npm run vapid-keys
Makes the key pair that identifies us to push services and prints both as variables. It has no options.`

const words = process.argv.slice(2)
if (words.length === 0) {
  const { publicKey, privateKey } = await makeVapidKeys()
  console.log(`VAPID_PUBLIC_KEY=${publicKey}\nVAPID_PRIVATE_KEY=${privateKey}`)
} else if (words.join(' ') === '--help') console.log(usage)
else {
  console.error(usage)
  process.exitCode = 2
}
