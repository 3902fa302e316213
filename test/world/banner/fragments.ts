import { escapeHtml, html, type Answer } from '../http.ts'
import { crossListAvailable, seatsAvailable, waitAvailable } from '../schools/seats.ts'
import type { BannerStyle, School, Section } from '../schools/types.ts'
import { label, titleOf } from './rows.ts'

function figure(name: string, value: number | null): string {
  return `<span class="status-bold">${name}:</span> <span dir="ltr"> ${value ?? ''} </span><br/>\n`
}

/**
 * getEnrollmentInfo: six figures, or at some schools only the first two. An unknown CRN has blanks instead of figures.
 * It says nothing about cross-lists.
 */
export function enrollmentInfo(style: BannerStyle, section: Section | null): Answer {
  const seats = section?.seats
  const first =
    figure('Enrollment Actual', seats?.enrolled ?? null) + figure('Enrollment Maximum', seats?.capacity ?? null)
  if (style.enrollmentInfo === 'short') return html(first)
  return html(
    `${first}${figure('Enrollment Seats Available', section && seatsAvailable(section))}<hr/>\n` +
      figure('Waitlist Capacity', seats?.waitCapacity ?? null) +
      figure('Waitlist Actual', seats?.waitCount ?? null) +
      figure('Waitlist Seats Available', section && waitAvailable(section)),
  )
}

export function classDetails(style: BannerStyle, section: Section | null): Answer {
  if (!section) return html('<section aria-labelledby="classDetails"></section>')
  const { course } = section
  const line = (name: string, value: string, id?: string): string =>
    `<span class="status-bold">${name}: </span>${id ? `<span id="${id}">${value}</span>` : value}<br/>\n`
  return html(
    line('Associated Term', style.termDescription(section.term)) +
      line('CRN', section.number, 'courseReferenceNumber') +
      line('Campus', label(style, section.campus)) +
      line('Instructional Method', section.mode) +
      line('Section Number', section.code, 'sectionNumber') +
      line('Subject', label(style, course.subject.name), 'subject') +
      line('Course Number', course.level, 'courseNumber') +
      line('Title', label(style, titleOf(section)), 'courseTitle') +
      line('Credit Hours', String(section.credits)),
  )
}

/** getXlstSections: the siblings of a cross-listed section and the room of the group. */
export function crossListed(section: Section | null): Answer {
  const group = section?.crossList
  if (!section || !group)
    return html('<section aria-labelledby="xlstSections">No cross list information available.</section>')
  const rows = group.members
    .filter((member) => member !== section)
    .map(
      (member) =>
        `<tr><td>${member.number}</td><td>${member.course.subject.code}</td><td>${member.course.level}</td><td>${member.code}</td></tr>`,
    )
  return html(
    `<section aria-labelledby="xlstSections">\n<span class="status-bold">Cross List Seats Available:</span> ` +
      `<span dir="ltr"> ${crossListAvailable(section)} </span>\n<table class="basePreqTable"><tbody>${rows.join('\n')}</tbody></table></section>`,
  )
}

/** The page a browser opens. Contains what the school's own scripts send back; reads work without it. */
export function searchPageHtml(school: School, base: string, uniqueSessionId: string): Answer {
  return html(`<!DOCTYPE html>
<html lang="en"><head><title>Browse Classes</title>
<meta name="synchronizerToken" content="${uniqueSessionId}-token"/>
<meta name="uniqueSessionId" content="${uniqueSessionId}"/>
<meta name="maxInactiveInterval" content="1800"/>
<meta name="keepAliveURL" content="${base}/keepAlive/data"/>
</head><body><h1>${escapeHtml(school.name)}: Browse Classes</h1>
<p>This is a stand-in. <a href="/catalog/${school.banner?.slug ?? ''}">See its classes</a>.</p></body></html>`)
}

export function needsInstitution(): Answer {
  return html(
    '<!DOCTYPE html>\n<html><head><title>Select Institution</title></head><body><form><select name="mepCode"></select></form></body></html>',
  )
}
