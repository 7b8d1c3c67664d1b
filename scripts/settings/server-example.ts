import { MACHINE_SETTINGS } from '../../server/machine-settings.ts'
import { REFUSED_SETTINGS } from '../../server/refused-settings.ts'
import { DEPLOY_SETTINGS } from '../deploy/check-deploy.ts'
import { PARTS, SETTINGS } from './settings.ts'
import { exampleOf } from './settings-document.ts'

const HEAD = `# The settings of this service; an empty value is the default. Written by \`hookline-server init\`.
# A value is taken as it is: no quotes are needed, and \`#\` begins a comment at the beginning of a line alone.`

/** What is said otherwise on a machine of one's own. */
const OWN_WORDS: Record<string, { what?: string; why: string }> = {
  BASE_URL: { why: 'It is your domain, which a proxy in front of this service answers by https.' },
  'RPC_<CHAIN>': {
    what: 'Nodes, such as http://user:password@127.0.0.1:8332, several separated by commas. The first one has the wallet.',
    why: 'A chain without a node is off. One on the internet needs https.',
  },
}

/** The settings of a machine of one's own, as `hookline-server init` writes them before it fills in what it makes. */
export function serverExample(): string {
  const left = new Set<string>([...DEPLOY_SETTINGS, ...Object.keys(REFUSED_SETTINGS)])
  const machine = Object.entries(MACHINE_SETTINGS).map(([name, { what, why }]) => exampleOf([name, { what, why }]))
  const parts = Object.keys(PARTS).map((part) =>
    [...SETTINGS]
      .filter(([name, setting]) => setting.part === part && !left.has(name))
      .map(([name, { what, why }]) => exampleOf([name, { what, why, ...OWN_WORDS[name] }])),
  )
  return `${[HEAD, machine.join('\n'), ...parts.filter((part) => part.length > 0).map((part) => part.join('\n'))].join('\n\n')}\n`
}
