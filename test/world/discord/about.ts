/** What students call some servers, by their invites; the others are named after campus and class. */
export const NICKNAMES: Readonly<Record<string, string>> = {
  'harbor-state-physics-for-engineers': 'Free Body Diagrams',
  'harbor-state-data-structures': 'Big O, Small Talk',
  'harbor-state-general-chemistry': 'Goggles On',
  'harbor-state-microeconomics': 'Supply, Demand & Coffee',
  'harbor-state-world-history': 'Before 1500',
  'northfield-tech-general-chemistry': 'Chem Lab Partners',
  'northfield-tech-intro-to-programming': 'Hello World Help Desk',
  'northfield-tech-data-structures': 'Trees at Midnight',
  'northfield-tech-organic-chemistry': 'Arrow Pushers',
  'northfield-tech-accounting': 'The Balanced Sheet',
  'queens-college-data-structures': 'Linked List Support Group',
  'queens-college-operating-systems': 'Kernel Panic Room',
  'queens-college-organic-chemistry': 'Orgo Survivors',
  'queens-college-microeconomics': 'Marginal Gains',
}

/** What servers say about themselves, by class: one of them names a campus, and some say nothing. */
export const ABOUT: Readonly<Record<string, readonly [string | null, string | null, string | null]>> = {
  'Calculus I': [
    'Homework help, exam weeks and jokes about limits. Voice room every Sunday.',
    'Problem sets, old midterms, and somebody awake at 2 AM.',
    null,
  ],
  'Calculus II': [
    'Series, sequences and solidarity.',
    null,
    'Weekly integration contest. Losers bring snacks to office hours.',
  ],
  'Linear Algebra': [null, 'Proofs welcome, row reduction tolerated.', 'Notes of every lecture since 2024.'],
  'Data Structures': [
    'Labs, pair programming and mock interviews before recruiting season.',
    'Late-night debugging, one channel for each project.',
    'Bring your segfaults.',
  ],
  'Operating Systems': [
    null,
    'Pintos groups, kernel reading club, no posting of solutions.',
    'Read the man page with us.',
  ],
  'Intro to Programming': [
    'First time coding? Ask anything here.',
    'Peer tutors every weekday from 4 to 8 PM. Nobody is too new: we all started with a missing semicolon.',
    null,
  ],
  'General Chemistry': [
    'Lab partners, pre-lab checks and a shared equation sheet.',
    'Find a lab partner, trade goggles.',
    null,
  ],
  'Organic Chemistry': [
    'Mechanisms on the whiteboard channel, flash cards, exam countdowns.',
    'Arrow pushing, daily.',
    'You are not alone.',
  ],
  'Physics for Engineers': [
    'Statics, springs and study rooms in Dunmore Hall. All sections welcome.',
    null,
    'Draw it first.',
  ],
  'Biology 101': ['Slides, quizzes and pictures of pond water.', 'Lab section swaps and review sessions.', null],
  Microeconomics: [
    'Graphs, problem sets, and which café is open late.',
    null,
    'Study group for both sections, evenings.',
  ],
  Accounting: [null, 'Debits left, credits right, questions anywhere.', 'CPA track and first-years together.'],
  'World History': ['Reading summaries by week, essay swaps, map quizzes.', 'Timelines and trivia.', null],
  Psychology: ['Research participation sign-ups and study guides.', null, 'Flash cards for all fourteen chapters.'],
  'English Composition': [null, 'Peer review: give one, get one.', 'Drafts, feedback and quiet writing hours.'],
  Statistics: ['R help, office-hour queue, and the eternal question of n.', 'p < 0.05 club.', null],
}
