import { textField } from '../web/parse.ts'
import type { FormError } from '../web/refusal.ts'

const MIN_LENGTH = 10
const MAX_LENGTH = 256

/** Counts characters, not bytes, in the normalized form that is hashed. */
const lengthOf = (password: string): number => [...password.normalize('NFKC')].length

/** Normalizing turns some characters, such as ligatures, into many that no one typed. */
const isTooShort = (password: string): boolean => Math.min([...password].length, lengthOf(password)) < MIN_LENGTH

/** No password of this length can have been set. */
export const isTooLong = (password: string): boolean => lengthOf(password) > MAX_LENGTH

/** What is wrong with a new password, in sentences; none when it is valid. */
export function passwordErrors(password: string, owner: { username: string; email: string }): string[] {
  if (isTooShort(password)) return [`The password must have at least ${MIN_LENGTH} characters.`]
  if (isTooLong(password)) return [`The password must have at most ${MAX_LENGTH} characters.`]
  const errors: string[] = []
  if (isCommonPassword(password)) errors.push('This password is too common.')
  if (isLike(password, owner.username)) errors.push('The password is too similar to the username.')
  if (isLike(password, owner.email) || isLike(password, owner.email.split('@')[0] ?? '')) {
    errors.push('The password is too similar to the email address.')
  }
  return errors
}

/** Whether the password is part of the word, or at least two thirds of it are the word. */
function isLike(password: string, word: string): boolean {
  const [text, own] = [password, word].map((part) => part.normalize('NFKC').toLowerCase())
  if (!text || !own || own.length < 3) return false
  return own.includes(text) || (text.includes(own) && own.length * 3 >= text.length * 2)
}

/**
 * The most common passwords that are long enough to be allowed here: from the first 10,000 of zxcvbn's list of
 * passwords (github.com/dropbox/zxcvbn, frequency_lists, MIT license, © 2012–2016 Dan Wheeler and Dropbox) those of ten
 * or more characters, in lower case, most common first; then some equally common ones that zxcvbn lists as words and
 * names.
 */
const written = `
qwertyuiop 1234567890 q1w2e3r4t5 1q2w3e4r5t 4815162342 123456789a 12345qwert 1234554321 usuckballz1 password123
123456789q 1029384756 123qweasdzxc soso123aljg 1qaz2wsx3edc manchester 12345678910 q1w2e3r4t5y6 1123581321 qwerty12345
1q2w3e4r5t6y fuck_inside mailcreated5240 nuttertools 1122334455 qazwsxedcrfv 123456qwerty 1234567890q terminator
qwerty123456 enterprise 123456789z poiuytrewq rjirfrgbde fktrcfylhf polniypizdec0211 sojdlg123aljg a123456789 translator
deepthroat undertaker multiplelo motherlode rjycnfynby syncmaster aleksandra sersolution montgom240 salamander realmadrid
tinkerbell leavemealone 123456654321 dragonball playstation ghostrider 1234567890a 1357924680 gfhjkmgfhjkm 9293709b13
microphone 1234567891 yjdsqgfhjkm vsjasnel12 qazwsxedc123 strawberry anastasiya zxcvbnm123 harrypotter mypassword
password12 qwert12345 abrakadabra alessandro fuckinside 7894561230 123456789s qwerty1234 good123654 konstantin highlander
ghjcnjgfhjkm tokiohotel sonyericsson evangelion zxcasdqwe123 password01 pufunga7782 suckmydick liverpool1 hellokitty
ironmaiden roadrunner 12345qwerty ghhh47hj7649 intercourse htubcnhfwbz skateboard q123456789 vqsablpzla friendster
123456789m 123456789d masterbate vfntvfnbrf cocksucker penetration 0192837465 alexander1 azertyuiop 123456789qwe
1qazxsw23edc nthvbyfnjh ilovepussy 1234567899 1234509876 password99 dragonballz abracadabra rfhfvtkmrf madagaskar
ronaldinho masterbating supersonic ghjcnbnenrf qwerasdfzxcv greedisgood qweasdzxc123 cheerleaers metallica1 flvbybcnhfnjh
123456789r 123456789987654321 nopassword 1020304050 112233445566 z1x2c3v4b5 blackberry mastermind interacial 1357908642
123456789v q1q2q3q4q5 finalfantasy ghbdtnrfrltkf 1z2x3c4v5b gangbanged spiderman1 0987654321q websolutions 1234567890z
123456789o losangeles a1b2c3d4e5 987654321a christophe wachtwoord chickenwing101 1qaz2wsx3edc4rfv a1s2d3f4g5 3rjs1la7qe
password11 ghbdtndctv vflfufcrfh babemagnet housewifes lamborghini groupd2013 quant4307s justinbieber lockerroom casablanca
pussylover armageddon ejaculation contortionist knickerless masturbation transexual evanescence pornographic comicbookdb
motdepasse qawsedrftg 1a2s3d4f5g qazwsxedc1 braveheart porsche911 newproject2004 j3qq4h7h2v 1213141516 yfnfitymrf
123456789p maximilian needforspeed devilmaycry shevchenko montecarlo businessbabe fuckmehard zxcvb12345 1a2b3c4d5e
charlie123 123456789123 uncencored callofduty masterbaiting volkswagen 12345678900 spartan117 0000000000o pathfinder
12345654321 maurolarastefy asdfg12345 123456789l watermelon astalavista penetrating summertime domainlock2005 dhjnvytyjub
987654321q pokemon123 cxfcnkbdfz momsanaladventure 123456789k dkflbvbhjdbx 17171717aa deutschland hd764nw5d7e1vb1 doggystyle
aleksander qazwsxedcrfvtgb lifeisgood insertions darthvader 123hfjdk147 peternorth a1a2a3a4a5 8phrowz622 5hsu75kpot
badnaamhere 0102030405 dkflbvbhjdyf pussylicker 3216732167 8phrowz624 mapet123456 opensesame goldfinger counterstrike
postov1000 solidsnake thunderbird limpbizkit zaq1xsw2cde3 chocolate1 fuckyou123 gy3yt2rgls zcxfcnkbdf bladerunner
jediknight 1a2a3a4a5a vfvfvskfhfve angelofwar ghjcnjghjcnj q1234567890 hondacivic welcome123 123456789abc 123456789n
admin18533362 89600506779 23176djivanfros salamandra smallville 123456789qwerty ilovemyself qazxswedcvfr galatasaray
qwertyasdfgh ctdfcnjgjkm rfhfcfdxbr
basketball volleyball washington california christopher motorcycle cheerleader university revolution technology
`

const passwords = new Set(written.trim().split(/\s+/))

function isCommonPassword(password: string): boolean {
  return passwords.has(password.normalize('NFKC').toLowerCase())
}

/** The new password of a form that asks for it twice, and what is wrong with it. */
export function postedPassword(
  form: FormData,
  owner: { username: string; email: string },
): { password: string; errors: FormError[] } {
  const password = textField(form, 'password1')
  const errors: FormError[] = passwordErrors(password, owner).map((message) => ({ field: 'password1', message }))
  if (password !== textField(form, 'password2'))
    errors.push({ field: 'password2', message: 'You must type the same password each time.' })
  return { password, errors }
}
