/* What `#in-browser/…` resolves to in the Worker (package.json). The server renders pages: it handles none of their
   events, runs no effects and opens no dialogs, so what only those need is not part of the Worker. These are the names
   that pages import at once; dialogs and sockets load later. */
export const calls = undefined
export class CallError {}
export class Refresher {}
export function call() {}
export function FoundCourses() {}
export function FoundSubjects() {}
export function FoundTerms() {}
export function grow() {}
export function liveConnection() {}
export function messagesOf() {}
export function recall() {}
export function remember() {}
export function showUnread() {}
export const unexpected = ''
