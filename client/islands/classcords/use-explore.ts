import { useState } from 'react'
import type { ExploreAllListingsProps } from '../../../src/classcords/contract.ts'
import { usePageSearch } from '../../use-page-search.ts'
import { changed, exploreSearch, isSearch, queryOf, type ExploreQuery } from './explore-query.ts'

/** The listings and their search, which runs 300 ms after the last change, or immediately after clearing. */
export function useExplore(props: ExploreAllListingsProps) {
  const [shown, setShown] = useState(props)
  const [query, setQuery] = useState(() => queryOf(props))
  const page = usePageSearch<ExploreAllListingsProps>(({ props: found }) => setShown(found))

  function search(change: Partial<ExploreQuery>): void {
    const wanted = changed(query, change)
    setQuery(wanted)
    page.search(exploreSearch(wanted, props.referral), isSearch(wanted))
  }

  return { shown, query, isSearching: page.isSearching, errors: page.errors, search }
}
