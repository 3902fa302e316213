import type { ExploreAllListingsProps } from '../../../src/classcords/contract.ts'
import { addressQuery } from '../../address-query.ts'

export interface ExploreQuery {
  /** 0: all schools; null or absent: the user's own. */
  schoolId?: number | null
  /** Default: relevance. */
  sort?: ExploreAllListingsProps['sort']
  subjectId: number | null
  courseId: number | null
  q: string
  page: number
}

export function queryOf(props: ExploreAllListingsProps): ExploreQuery {
  const { school_id: schoolId, subject_id: subjectId, course_id: courseId, q, sort, pagination } = props
  return { schoolId, sort, subjectId, courseId, q, page: pagination.current_page }
}

export function isSearch({ subjectId, courseId, q }: ExploreQuery): boolean {
  return subjectId !== null || courseId !== null || q.trim() !== ''
}

/** The query part of the address, '' for the first page of everything. A referral stays in it until it is used. */
export function exploreSearch(
  { schoolId, sort, subjectId, courseId, q, page }: ExploreQuery,
  referral: string | null,
): string {
  return addressQuery({
    school_id: schoolId,
    sort: sort === 'relevance' ? null : sort,
    subject_id: subjectId,
    course_id: courseId,
    q,
    page,
    referral,
  })
}

/** The query after a change, on its first page. A subject belongs to a school, and a course to a subject. */
export function changed(query: ExploreQuery, change: Partial<ExploreQuery>): ExploreQuery {
  const isOtherSchool = change.schoolId !== undefined && change.schoolId !== query.schoolId
  const isOtherSubject = change.subjectId !== undefined && change.subjectId !== query.subjectId
  return {
    ...query,
    page: 1,
    ...(isOtherSchool && { subjectId: null }),
    ...((isOtherSchool || isOtherSubject) && { courseId: null }),
    ...change,
  }
}
