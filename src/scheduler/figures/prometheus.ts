export interface Sample {
  labels: Readonly<Record<string, string>>
  value: number
}

export interface Metric {
  name: string
  help: string
  samples: readonly Sample[]
}

export const prometheusType = 'text/plain; version=0.0.4; charset=utf-8'

/**
 * Prometheus' text format 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/). All metrics are gauges:
 * current values, not counts since a start. A metric without samples is left out.
 */
export function prometheusText(metrics: readonly Metric[]): string {
  return metrics
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, help, samples }) => {
      const lines = samples.map(({ labels, value }) => `${name}${labelText(labels)} ${value}`)
      return [`# HELP ${name} ${escaped(help)}`, `# TYPE ${name} gauge`, ...lines, ''].join('\n')
    })
    .join('')
}

function labelText(labels: Sample['labels']): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const escaped = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
