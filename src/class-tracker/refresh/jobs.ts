export { refreshSections } from './refresh-sections.ts'
export { refreshSubjects } from './refresh-subjects.ts'
export { refreshTerms } from './refresh-terms.ts'
