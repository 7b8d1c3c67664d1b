import { AdminError, type RunSql } from './make-admin.ts'

/** Runs Wrangler with these arguments. */
export type RunWrangler = (args: string[]) => Promise<{ ok: boolean; output: string }>

/** SQL on the D1 database of the deployed service, which `config`, made by `npm run deploy`, names. */
export function remoteSql(runWrangler: RunWrangler, config: string): RunSql {
  return async (sql) => {
    const args = ['d1', 'execute', 'DB', '--remote', '--config', config, '--json', '--command', sql]
    const { ok, output } = await runWrangler(args)
    if (!ok) throw new AdminError(`Wrangler could not ask the database:\n${output}`)
    // Wrangler may say something before it prints JSON.
    const answer: unknown = JSON.parse(output.slice(output.indexOf('[')))
    const [first]: unknown[] = Array.isArray(answer) ? answer : []
    if (typeof first !== 'object' || first === null || !('results' in first) || !Array.isArray(first.results)) {
      throw new AdminError(`Wrangler gave an unexpected answer:\n${output}`)
    }
    return first.results
  }
}
