/** What an approval does to a server of the other privacy, as reviewers read it. @param level the submitted privacy */
export const privacyChangeText = (level: 'public' | 'private'): string =>
  level === 'public'
    ? 'The server is private. Approving this invite shows it to everyone.'
    : 'The server is public. Approving this invite hides it from people outside its schools.'
