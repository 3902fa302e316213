import { expect, test } from 'vitest'
import { Change, noticeOf } from '../../src/class-tracker/deliveries/change-notices.ts'
import { productName } from '../../src/class-tracker/deliveries/claim-delivery.ts'
import { composeNotice } from '../../src/notify/compose.ts'
import { countSegments } from '../../src/notify/sms/segments.ts'

test.each(Change.options)('the text about a change (%s) fits into one segment', (change) => {
  const { text } = composeNotice(noticeOf(productName.initial, 'phone', change, null), 'phone')
  expect(text).toMatch(/ Not you\? /)
  expect(countSegments(text).segments).toBe(1)
})
