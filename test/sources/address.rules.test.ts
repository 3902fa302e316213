import { describe, expect, it, test } from 'vitest'
import { refuseAddress, refuseLoopback } from '../../src/sources/address.ts'

const ENDING = '/ssb'
const refusalOf = (origin: string) => refuseAddress(`${origin}${ENDING}`, ENDING)

describe("a school's address", () => {
  test.each([
    'https://registration.example.edu',
    'https://Registration.Example.edu:8443',
    'https://127.evil.example',
    'https://10.0.0.1.school.edu',
    'https://münchen.example',
    'https://8.8.8.8',
    'https://172.15.255.255',
    'https://172.32.0.1',
    'https://100.63.255.255',
    'https://100.128.0.1',
    'https://[2606:4700::1111]',
  ])('may be %s', (origin) => {
    expect(refusalOf(origin)).toBeNull()
  })

  test.each([
    // Each range of the IANA special-purpose registries, at its first and last address.
    '0.0.0.0',
    '0.255.255.255',
    '10.0.0.1',
    '10.255.255.255',
    '100.64.0.0',
    '100.127.255.255',
    '169.254.0.1',
    '169.254.169.254',
    '172.16.0.0',
    '172.31.255.255',
    '192.0.0.1',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.0.1',
    '192.168.255.255',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.7',
    '203.0.113.9',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    // The same in other notations.
    '0xa.0.0.1',
    '012.0.0.1',
    '167772161',
    '0x0A000001',
    '10.1',
    '169.16689662',
    '%31%30.0.0.1',
    '１０.0.0.1',
    // Public, but written so that a reader takes it for something else.
    '134744072',
    '0x8.8.8.8',
    '8.526344',
    // IPv6: unspecified, loopback's neighbors, mapped, compatible, NAT64, discard, Teredo, documentation, 6to4, unique
    // local, link-local, site-local, multicast.
    '[::]',
    '[::ffff:10.0.0.1]',
    '[::ffff:8.8.8.8]',
    '[::10.0.0.1]',
    '[64:ff9b::10.0.0.1]',
    '[64:ff9b:1::1]',
    '[100::1]',
    '[2001::1]',
    '[2001:db8::1]',
    '[2002:a00:1::]',
    '[3fff::1]',
    '[fc00::1]',
    '[fdff:ffff::1]',
    '[fe80::1]',
    '[febf::1]',
    '[fec0::1]',
    '[ff02::1]',
    '[::ffff:0:10.0.0.1]',
    '[0:0:0:0:0:ffff:0a00:0001]',
    // Names that only a network's own resolver knows.
    'intranet',
    'registrar.local',
    'metadata.google.internal',
    'banner.localhost',
    'host.localdomain',
    'nas.lan',
    'router.home.arpa',
    'x.home',
    'x.corp',
    'x.intranet',
    'x.private',
    'x.onion',
    // A trailing dot: the same host under another name, which would bypass every comparison.
    'localhost.',
    'registration.example.edu.',
    '10.0.0.1.',
    'x.internal.',
  ])('is not https://%s', (host) => {
    expect(refusalOf(`https://${host}`)).not.toBeNull()
  })

  test.each([
    'http://registration.example.edu',
    'http://127.evil.example',
    'http://localhost.evil.example',
    'http://[2606:4700::1111]',
    'ftp://registration.example.edu',
    'javascript://registration.example.edu',
    'https://me@registration.example.edu',
    'https://me:secret@10.0.0.1',
    'https://@registration.example.edu\\@10.0.0.1',
    'https:\\\\10.0.0.1',
    'https://registration.example.edu\t',
    'https://registration.example.edu/?',
    'https://registration.example.edu/#',
  ])('is not %s', (origin) => {
    expect(refusalOf(origin)).not.toBeNull()
  })

  it('may be the local machine in every notation, also by http, but only in development', () => {
    for (const host of ['localhost', '127.0.0.1', '127.1', '2130706433', '0x7f.1', '[::1]', '127.255.255.254']) {
      for (const scheme of ['http', 'https']) {
        const url = `${scheme}://${host}:8788${ENDING}`
        expect(refuseAddress(url, ENDING), url).toBeNull()
        expect(refuseLoopback(url, 'http://localhost:8787'), url).toBeNull()
        expect(refuseLoopback(url, 'https://cords.example.com'), url).toContain('development')
      }
    }
    expect(refuseLoopback('https://127.evil.example/ssb', 'https://cords.example.com')).toBeNull()
  })
})
