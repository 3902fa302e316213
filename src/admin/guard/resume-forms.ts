import { resumableUnder } from '../../accounts/reauthenticate/recently-authenticated.ts'
import { notThere } from '../../web/refusal.ts'
import { postAct } from '../actions/routes.ts'
import type { Tables } from '../table.ts'
import { postAdd, postChange, postRemoval } from '../row/routes.tsx'

const area = '/admin/'

/** Lets forms of the admin wait until their sender has shown who they are, and then carries them out. */
export function resumeForms(tables: Tables): void {
  resumableUnder(area, {
    async carryOut(c, path) {
      // The form may have waited while its sender was demoted.
      if (!c.get('user')?.is_superuser) throw notThere()
      const [table = '', key = '', verb = ''] = partsOf(path)
      if (key === 'act') return postAct(c, tables, table)
      if (key === 'add') return postAdd(c, tables, table)
      const place = { table, key: decodeURIComponent(key) }
      return verb === 'delete' ? postRemoval(c, tables, place) : postChange(c, tables, place)
    },
    pageOf(path) {
      const [table = '', key, verb] = partsOf(path)
      return key === 'act' || verb === 'delete' ? `${area}${table}/` : path
    },
  })
}

const partsOf = (path: string): string[] => path.slice(area.length).split('/')
