/* What `#in-browser/…` resolves to in the Worker (package.json): pages load dialogs and sockets later, and the
   server never renders them. */
export {}
