import { refuseApplication } from '../address.ts'
import type { SectionIdentity, Source, SourceAddress } from '../source.ts'
import { Calls } from './calls.ts'
import { Banner8Lane } from './lane.ts'

/**
 * Ellucian Banner 8 Self-Service: the class schedule, as a visitor without an account sees it. One school per address,
 * a group is a subject in a term. Lists name sections without their seats, which are on each section's own page.
 */
export const banner8: Source = {
  kind: 'banner8',
  label: 'Ellucian Banner 8',
  address: {
    ending: '',
    help: 'up to the part before /bwckschd, such as /PROD',
    example: 'https://selfservice.example.edu/PROD',
  },
  settings: [
    {
      name: 'route',
      meaning: 'bwckctlg.p_disp_listcrse where the search finds nothing; otherwise bwckschd.p_get_crse_unsec.',
    },
    { name: 'sel_levl', meaning: 'The level to search; default: % (all).' },
    { name: 'campus_code', meaning: 'The campus to search, if several colleges share a site.' },
    { name: 'campus', meaning: 'How the campus’s name begins on the page of a class.' },
    { name: 'waiting_list', meaning: '"none" where the pages of classes have no row for a waitlist.' },
  ],
  scopes: [],
  number_label: 'CRN',
  reads: { catalog: 'group', status: 'section' },
  checkAddress: (url) => refuseApplication(url, '/PROD', /\/bw[a-z]{4}/i, '/bwckschd'),
  openLane: (address, tools) => new Banner8Lane(address, tools),
  link,
}

/** The section's page, or the form with the terms if no section is named. */
function link(address: SourceAddress, { term, section_key }: SectionIdentity): string {
  const calls = new Calls(address)
  return section_key === '' ? calls.termForm : calls.detailsPage(term, section_key)
}
