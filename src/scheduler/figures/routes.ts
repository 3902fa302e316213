import { Hono } from 'hono'
import type { SiteEnv } from '../../web/site.ts'
import { mayReadFigures } from './may-read-figures.ts'
import { readMetrics } from './metrics.ts'
import { prometheusText, prometheusType } from './prometheus.ts'
import { readStats } from './stats.ts'

/** Figures for monitoring. */
export const figureRoutes = new Hono<SiteEnv>()

figureRoutes.get('/queues/stats.json', mayReadFigures, async (c) => c.json(await readStats(c.env, Date.now())))

figureRoutes.get('/metrics', mayReadFigures, async (c) =>
  c.body(prometheusText(await readMetrics(c.env, Date.now())), 200, { 'content-type': prometheusType }),
)
