import { type DeployPlan, SECRETS } from './check-deploy.ts'

/**
 * The Wrangler configuration of one deployment: wrangler.toml as it stands, with its database, its routes and its
 * variables that are no secrets. JSON strings are TOML strings too.
 */
export function wranglerConfig(template: string, plan: DeployPlan, databaseId: string): string {
  const { variables, settings } = plan
  const text = template
    .replace(/^database_id = .*$/m, `database_id = ${JSON.stringify(databaseId)}`)
    .replace(/^database_name = .*$/m, `database_name = ${JSON.stringify(databaseName(settings))}`)
    .replace(/^bucket_name = .*$/m, `bucket_name = ${JSON.stringify(bucketName(settings))}`)
  const vars = Object.entries(variables).filter(([name]) => !SECRETS.some((secret) => secret === name))
  return [
    '# Made by `npm run deploy` from wrangler.toml and .env.production; changes here are lost.',
    `routes = [\n${routes(plan)
      .map((route) => `  ${route},\n`)
      .join('')}]`,
    text,
    '[vars]',
    ...vars.map(([name, value]) => `${name} = ${JSON.stringify(value)}`),
    '',
  ].join('\n')
}

/** The secrets of a deployment, as `wrangler deploy --secrets-file` takes them. */
export function secretsFile({ variables }: DeployPlan): string {
  return JSON.stringify(
    Object.fromEntries(SECRETS.flatMap((name) => (variables[name] ? [[name, variables[name]]] : []))),
  )
}

export function databaseName(settings: DeployPlan['settings']): string {
  return settings.D1_NAME ?? 'hookline'
}

export function bucketName(settings: DeployPlan['settings']): string {
  return settings.R2_NAME ?? 'hookline'
}

/**
 * The API host is a custom domain, for which Cloudflare makes the DNS record and the certificate. The storage host
 * has wildcards, which only routes can have; with custom hostnames every host of its zone comes to the Worker.
 */
function routes({ variables, settings }: DeployPlan): string[] {
  const storage = variables.STORAGE_HOST ?? ''
  const zone = JSON.stringify(settings.STORAGE_ZONE ?? storage)
  const patterns = variables.CF_ZONE_ID ? ['*/*'] : [`${storage}/*`, `*.${storage}/*`]
  return [
    `{ pattern = ${JSON.stringify(new URL(variables.BASE_URL ?? '').hostname)}, custom_domain = true }`,
    ...patterns.map((pattern) => `{ pattern = ${JSON.stringify(pattern)}, zone_name = ${zone} }`),
  ]
}
