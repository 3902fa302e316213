import type { Attack } from './attacker.ts'

const logins = ['admin', 'student', 'ADMIN', 'admin@example.com', 'Student@Example.com', 'nobody-at-all']
const guesses = ['seat-watch', 'password123456', 'admin-seat-watch', 'x'.repeat(300), "' OR 1=1 --"]
const pages = [
  { path: '/accounts/login/', field: 'login' },
  { path: '/class_tracker/login_view/', field: 'username' },
]

/** Wrong passwords for existing and unknown accounts, on both login pages. */
export const passwords: readonly Attack[] = [
  {
    kind: 'wrong passwords',
    async run(attacker) {
      for (let guess = 0; guess < 15; guess += 1) {
        const { path, field } = attacker.random.pick(pages)
        const fields = { [field]: attacker.random.pick(logins), password: attacker.random.pick(guesses) }
        await attacker.post(attacker.browser(), path, fields, { harmless: [422] })
      }
    },
  },
]
