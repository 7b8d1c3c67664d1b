/** A metric with what it is now; a label is of a closed set of words, never what a request says. */
export interface Gauge {
  name: string
  help: string
  samples: readonly { labels?: Readonly<Record<string, string>>; value: number }[]
}

/** Gauges in the text format of Prometheus, version 0.0.4; one without a sample is left out. Pure. */
export function metricsText(gauges: readonly Gauge[]): string {
  return gauges
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, help, samples }) => {
      const lines = samples.map(({ labels = {}, value }) => `${name}${labelsText(labels)} ${value}\n`)
      return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} gauge\n${lines.join('')}`
    })
    .join('')
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return parts.length === 0 ? '' : `{${parts.join()}}`
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
