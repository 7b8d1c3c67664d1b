import { type Config, ConfigurationError, checkConfig, type Variable } from './config.ts'

/** The operator's settings, unchecked. */
export type RawSettings = Partial<Record<Variable, string>>

const checked = new WeakMap<RawSettings, Config | ConfigurationError>()

/** {@link readConfig}; `undefined` where the configuration is missing or wrong. */
export function configOrNothing(env: RawSettings): Config | undefined {
  try {
    return readConfig(env)
  } catch (error) {
    if (error instanceof ConfigurationError) return undefined
    throw error
  }
}

/**
 * The checked configuration; each isolate checks it once.
 * @throws {ConfigurationError} naming every variable that is missing or wrong.
 */
export function readConfig(env: RawSettings): Config {
  let outcome = checked.get(env)
  if (!outcome) {
    outcome = checkConfig(env)
    checked.set(env, outcome)
    if (outcome instanceof ConfigurationError) console.error('configuration_not_usable', outcome.message)
  }
  if (outcome instanceof ConfigurationError) throw outcome
  return outcome
}
