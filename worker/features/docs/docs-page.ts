import { html } from 'hono/html'
import { ERROR_CODES } from '../../../contract/error-codes.ts'
import { htmlDocument, type Markup } from '../../platform/http/html-document.ts'
import { DOCS_STYLE } from './docs-style.ts'
import type { Answer, Media, Operation, Schema } from './openapi.ts'
import { openapiDocument, PATHS, SCHEMAS, TAGS } from './openapi-document.ts'

interface Entry {
  id: string
  method: string
  path: string
  operation: Operation
}

/** Pages of embedded chains, where this service runs on them: its mails, and what pays from a chain's wallet. */
interface DevnetPages {
  outbox: string | undefined
  faucet: string | undefined
}

/** The description of the API at `baseUrl` as one page for people, made of {@link openapiDocument}. */
export async function docsPage(baseUrl: URL, devnet: DevnetPages): Promise<string> {
  const { info } = openapiDocument(baseUrl)
  const entries = listEntries()
  const body = html`<nav aria-label="Contents">
<a class="skip" href="#content">Skip the contents</a>
<strong>${info.title} API</strong>
<ul><li><a href="#start">From a file to a page</a></li><li><a href="#schemas">Schemas</a></li><li><a href="#codes">Codes of refusals</a></li></ul>
${TAGS.map((tag) => tagContents(tag.name, entries))}
</nav>
<main id="content">
<h1>${info.title} API</h1>
<p>${info.summary}</p>
<p>${inline(info.description)}</p>
<p class="quiet">Base address <code>${baseUrl.origin}</code>. The same for programs:
<a href="/v0/openapi.json">openapi.json</a>.</p>
<h2 id="start">From a file to a page</h2>
<p>With <code>curl</code> 7.82 or newer and <code>jq</code>:</p>
<pre><code>${exampleSession(baseUrl)}</code></pre>
${devnetText(devnet)}
<p>Transfer the amount to the address; <code>GET /v0/item/&lt;id&gt;</code> shows how the item is written. Once it is
<code>200 OK</code>, put its <code>embed</code> into any page.</p>
${TAGS.map((tag) => tagSection(tag, entries))}
<h2 id="schemas">Schemas</h2>
${Object.entries(SCHEMAS).map(([name, schema]) => schemaSection(name, schema))}
<h2 id="codes">Codes of refusals</h2>
${table(Object.entries(ERROR_CODES).map(([code, [status, meaning]]) => [html`<code>${code}</code>`, [status].flat().join(' or '), html`${inline(meaning)}`]))}
</main>`
  return await htmlDocument(`${info.title} API`, DOCS_STYLE, body)
}

function devnetText({ outbox, faucet }: DevnetPages): Markup[] {
  return [
    ...(outbox ? [html`<p>No mail leaves this machine: they stand in the <a href="${outbox}">outbox</a>.</p>`] : []),
    ...(faucet
      ? [
          html`<p>The chains are embedded, and their coins are worth nothing: the <a href="${faucet}">faucet</a> transfers any
amount to any address, by hand or by <code>curl ${faucet} -d blockchain=… -d address=… -d amount=…</code>.</p>`,
        ]
      : []),
  ]
}

function listEntries(): Entry[] {
  return Object.entries(PATHS).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => {
      const id = `${method}${path}`.replace(/[^a-z0-9]+/gi, '-').replace(/-$/, '')
      return { id, method, path, operation }
    }),
  )
}

function tagContents(tag: string, entries: readonly Entry[]): Markup {
  const own = entries.filter(({ operation }) => operation.tags[0] === tag)
  return html`<h2>${tag}</h2>
<ul>${own.map(({ id, operation }) => html`<li><a href="#${id}">${operation.summary}</a></li>`)}</ul>`
}

function tagSection(tag: { name: string; description: string }, entries: readonly Entry[]): Markup {
  const own = entries.filter(({ operation }) => operation.tags[0] === tag.name)
  return html`<h2>${tag.name}</h2>
<p class="quiet">${tag.description}</p>
${own.map((entry) => operationSection(entry, entries))}`
}

function operationSection({ id, method, path, operation }: Entry, entries: readonly Entry[]): Markup {
  const { summary, description, security, parameters = [], requestBody, responses } = operation
  return html`<section class="operation" id="${id}">
<h3>${summary}</h3>
<p class="call"><span class="method ${method}">${method}</span> ${path}</p>
${description === undefined ? '' : html`<p>${inline(description)}</p>`}
${security ? html`<p class="quiet">${inline(tokenText(security))}</p>` : ''}
${parameters.length === 0 ? '' : html`<h4>Parameters</h4>${table(parameters.map((parameter) => [html`<code>${parameter.name}</code>`, `${parameter.in}, ${parameter.required ? 'required' : 'optional'}`, typeText(parameter.schema), html`${inline(parameter.description)}`]))}`}
${requestBody ? html`<h4>Body</h4>${mediaText(requestBody.content)}` : ''}
<h4>Answers</h4>
${table(Object.entries(responses).map(([status, answer]) => [html`<code>${status}</code>`, answerText(answer)]))}
${followers(responses, entries)}
</section>`
}

/** The operations that use an id, an address or a token of the answer. */
function followers(responses: Operation['responses'], entries: readonly Entry[]): Markup | '' {
  const links = Object.values(responses).flatMap((answer) => Object.values(answer.links ?? {}))
  const taken = new Set(links.map((link) => link.operationId))
  const found = entries.filter(({ operation }) => taken.has(operation.operationId))
  if (found.length === 0) return ''
  return html`<details><summary>What goes on with this answer</summary>
<ul>${found.map(({ id, operation }) => html`<li><a href="#${id}">${operation.summary}</a></li>`)}</ul></details>`
}

function tokenText(security: NonNullable<Operation['security']>): string {
  const permission = security.flatMap(({ accessToken = [] }) =>
    accessToken.map((name) => ` with permission \`${name}\``),
  )
  const scopes = security.flatMap(({ apiKey = [] }) => apiKey.map((name) => `\`${name}\``))
  const key = scopes.length === 0 ? '' : `, or an API key with scope ${scopes.join(' or ')}`
  return `Needs an access token${permission.join('')}${key}: \`Authorization: Bearer <token>\`.`
}

function answerText(answer: Answer): Markup {
  const headers = Object.entries(answer.headers ?? {}).flatMap(([name, header]) =>
    'description' in header ? [[name, header] as const] : [],
  )
  return html`${inline(answer.description)}
${headers.map(([name, header]) => html` <code>${name}</code>: ${inline(header.description)}`)}
${Object.entries(answer.content ?? {}).map(([type, media]) => (media.schema ? html` ${typeText(media.schema)}` : html` <code>${type}</code>`))}
${examples(answer.content ?? {})}`
}

function mediaText(content: Record<string, Media>): Markup[] {
  return Object.entries(content).map(([type, media]) => {
    const fields = media.schema?.properties
    return html`<p class="quiet"><code>${type}</code> ${media.schema?.$ref ? typeText(media.schema) : ''}</p>
${fields ? fieldTable(fields, media.schema?.required ?? []) : ''}${examples({ [type]: media })}`
  })
}

function examples(content: Record<string, Media>): Markup[] {
  return Object.values(content).flatMap(({ example }) =>
    example === undefined ? [] : [html`<pre><code>${JSON.stringify(example, null, 2)}</code></pre>`],
  )
}

function schemaSection(name: string, schema: Schema): Markup {
  return html`<section class="schema" id="schema-${name}">
<h3>${name}</h3>
<p>${inline(schema.description ?? '')} ${schema.properties ? '' : typeText(schema)}</p>
${schema.properties ? fieldTable(schema.properties, schema.required ?? []) : ''}
</section>`
}

function fieldTable(properties: Record<string, Schema>, required: readonly string[]): Markup {
  return table(
    Object.entries(properties).map(([name, schema]) => [
      html`<code>${name}</code>`,
      required.includes(name) ? '' : 'optional',
      typeText(schema),
      html`${inline(schema.description ?? '')}`,
    ]),
  )
}

function table(rows: readonly (readonly (Markup | string)[])[]): Markup {
  return html`<table><tbody>${rows.map(
    ([head, ...cells]) => html`<tr><th scope="row">${head}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`,
  )}</tbody></table>`
}

/** A schema in a few words, linked where it has a name. */
function typeText(schema: Schema): Markup {
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1)
    return html`<a href="#schema-${name}">${name}</a>`
  }
  if (schema.items) return html`array of ${typeText(schema.items)}`
  if (schema.enum)
    return html`${schema.enum.map((value, index) => html`${index > 0 ? ', ' : ''}<code>${value}</code>`)}`
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`
  if (schema.properties) {
    const fields = Object.entries(schema.properties)
    return html`{ ${fields.map(([name, field], index) => html`${index > 0 ? ', ' : ''}<code>${name}</code> ${typeText(field)}`)} }`
  }
  const type = schema.type === undefined ? 'anything' : [schema.type].flat().join(' or ')
  return html`${type}${schema.pattern ? html` like <code>${schema.pattern}</code>` : ''}`
}

/** Text whose \`code\` is set as code. */
function inline(text: string): Markup[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
}

/** Shell commands that store a file, as a reader would type them. */
function exampleSession(baseUrl: URL): string {
  return `API=${baseUrl.origin}/v0
curl $API/user --json '{"email":"ada@example.com","password":"Correct1","firstName":"Ada","lastName":"Lovelace"}'

# Follow the link in the mail, then log in
TOKEN=$(curl -s $API/token --json '{"email":"ada@example.com","password":"Correct1"}' | jq -r .accessToken)
AUTH="Authorization: Bearer $TOKEN"

# An item, its only chunk (its size is below chunkSize of the answer), and the merge
ID=$(curl -s $API/item -H "$AUTH" --json '{"name":"cat.png","mimetype":"image/png",
  "blockchain":"Nativecoin","size":'"$(wc -c < cat.png)"'}' | jq -r .id)
curl -X PUT $API/item/$ID/chunk/0 -H "$AUTH" --data-binary @cat.png
curl -X POST $API/item/$ID/merge -H "$AUTH"

# What to pay, and where to
curl $API/payment -H "$AUTH" --json '{"blockchain":"Nativecoin","ids":["'$ID'"]}'

# How far it is, and once it is stored: the file itself
curl $API/item/$ID -H "$AUTH"
curl $API/content/$ID -o same.png`
}
