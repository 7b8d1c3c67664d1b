/** What is asked with; named one by one, since a build keeps the whole of a module that is loaded as it is. */
export { confirm, isCancel, password, text } from '@clack/prompts'
