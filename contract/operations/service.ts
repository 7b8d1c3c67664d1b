import { content, json, operations, readable } from '../operation.ts'
import { text } from '../schema.ts'
import { Caches, Health, HookHashes, Unhealthy } from '../service.ts'

/** Health, descriptions, the page helper. */
export const SERVICE_OPERATIONS = operations('This service', {
  'GET /v0/health': {
    id: 'readHealth',
    summary: 'Is everything up?',
    answers: { 200: json('Yes. The heights of the chains.', Health), 503: json('No: which part is down.', Unhealthy) },
  },
  'GET /metrics': {
    id: 'readMetrics',
    summary: 'What the database says, for Prometheus',
    description: 'With `METRICS_TOKEN` as bearer token, which also opens `GET /v0/operate/health`.',
    answers: { 200: content('Gauges.', 'text/plain'), 404: 'The operator has set no token.' },
    refuses: [401],
  },
  'GET /v0/cache': {
    id: 'readCaches',
    summary: 'What strangers fill of the bucket',
    description: 'Of both caches: what they store in an hour and for how many days, and what they stored in this hour.',
    token: 'operate',
    answers: { 200: json('Both.', Caches) },
  },
  'GET /v0/openapi.json': {
    id: 'readOpenapi',
    summary: 'This description',
    answers: { 200: content('Here it is.', 'application/json') },
  },
  'GET /docs': {
    id: 'readDocs',
    summary: 'This description, as a page',
    answers: { 200: content('Here it is.', 'text/html') },
  },
  'GET /': {
    id: 'openRoot',
    summary: 'Where to begin',
    answers: { 302: 'To /docs.' },
  },
  'GET /hook.js': {
    id: 'readHook',
    summary: 'The page helper',
    answers: { ...readable(content('Here it is.', 'text/javascript')) },
  },
  'GET /hook.json': {
    id: 'readHookHashes',
    summary: 'What to pin of the page helper',
    description: 'Of this build: its immutable name, and what `integrity` says of it and of each of its parts.',
    answers: { 200: json('The hashes.', HookHashes) },
  },
  'GET /.well-known/security.txt': {
    id: 'readSecurityTxt',
    summary: 'Where to report a vulnerability (RFC 9116)',
    answers: { ...readable(content('The contacts.', 'text/plain')), 404: 'The operator has named nobody.' },
  },
  'GET /{file}': {
    id: 'readPinnedHook',
    summary: 'The page helper under an immutable name',
    path: { file: text('`hook.<hash>.js`') },
    answers: { ...readable(content('For ever the same.', '*/*')) },
    refuses: [404],
  },
  'GET /hook/{file}': {
    id: 'readHookPart',
    summary: 'A part of the page helper',
    path: { file: text('Its name with its hash.') },
    answers: { ...readable(content('For ever the same.', '*/*')) },
    refuses: [404],
  },
  'GET /frame': {
    id: 'readFrame',
    summary: 'The page that shows verified HTML on an opaque origin',
    answers: { ...readable(content('Here it is.', 'text/html')) },
  },
})
