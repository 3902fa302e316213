/** The vocabulary of the generated catalog. It is invented; none of these people exist. */

interface SubjectWords {
  /** CUNY-wide key; Banner schools use the code for both. */
  key: string
  code: string
  name: string
  titles: readonly string[]
}

/**
 * One line per subject: key, code, name, titles. Raw text: `&`, quotes and accents are escaped by each protocol in its
 * own way.
 */
const TABLE = `
CMSC|CSCI|Computer Science|Intro to Programming;Data Structures & Algorithms;Computer Organization;Operating Systems;Compilers: Theory & Practice;Databases;Machine Learning;Theory of Computation
MATH|MATH|Mathematics|Precalculus;Calculus I;Calculus II;Linear Algebra;Ordinary & Partial Differential Equations;Euclid's Elements;Abstract Algebra;Real Analysis
BIOL|BIO|Biology|Principles of Biology;Genetics;Cell & Molecular Biology;Ecology;Human Anatomy & Physiology;Darwin's Century;Microbiology
CHEM|CHEM|Chemistry & Biochemistry|General Chemistry;Organic Chemistry I;Organic Chemistry II;Physical Chemistry;Instrumental Analysis;Biochemistry
PSYC|PSYCH|Psychology|Introduction to Psychology;Statistics for the Behavioral Sciences;Memory & Attention;Abnormal Psychology;Child Development;Piaget & After
ENGL|ENG|English|College Writing;Writing About Literature;Shakespeare's Tragedies;The Novel, 1700-1900;Poetry & Poetics;Creative Nonfiction
BUAD|BUS|Business Administration|Principles of Management;Business Law;Marketing;Corporate Finance;Tech, Ethics, & Society;Operations & Supply Chains
ACCT|ACCT|Accounting|Financial Accounting;Managerial Accounting;Auditing;Taxation of Individuals;Fraud & Forensics
ECON|ECON|Economics|Microeconomics;Macroeconomics;Econometrics;Money & Banking;Game Theory;Labor Economics
HIST|HIST|History|The Ancient World;Europe Since 1789;The United States to 1865;Women's History;Cities & Empires;Oral History Methods
PHYS|PHYS|Physics & Astronomy|General Physics I;General Physics II;Optics;Thermodynamics & Statistical Mechanics;Quantum Mechanics;Stars, Galaxies & the Universe
SOCI|SOC|Sociology|Introduction to Sociology;Social Theory;Race & Ethnicity;Urban Sociology;Methods of Social Research
ARTS|ARTS|Studio Art|Drawing I;Painting;Ceramics;Photography & the Book;Digital Imaging
MUSI|MUS|Music|Rudiments of Music;Harmony & Counterpoint;Jazz Ensemble;Music of Africa;Ravel & Debussy
PHIL|PHIL|Philosophy|Introduction to Philosophy;Logic;Ethics;Plato's Republic;Philosophy of Mind
POLS|PSCI|Political Science|American Politics;Comparative Politics;International Relations;Constitutional Law;Law & Society
SPAN|SPAN|Spanish|Elementary Spanish;Intermediate Spanish;Introducción a la literatura;Español para hispanohablantes;Cervantes
NURS|NURS|Nursing|Fundamentals of Nursing;Pharmacology;Maternal & Children's Health;Community Health;Clinical Practicum
STAT|STAT|Statistics & Data Science|Elementary Statistics;Regression;Probability;R & Python for Data;Sampling
EDUC|EDUC|Education|Foundations of Education;Teaching Reading;Assessment & Evaluation;Classroom Management
COMM|COMM|Communication|Public Speaking;Media & Culture;Journalism Workshop;Interpersonal Communication
ENVS|ENVS|Environmental Studies|Earth Systems;Climate & Energy;Environmental Policy;Field Methods
ANTH|ANTH|Anthropology|Cultural Anthropology;Archaeology;Language & Culture;Peoples of the Andes
LABR|LABST|Labor Studies|Work & Society;Labor Law;Collective Bargaining;Organizing & Social Movements;Immigration & Work
`

export const SUBJECTS: readonly SubjectWords[] = TABLE.trim()
  .split('\n')
  .map((line) => {
    const [key = '', code = '', name = '', titles = ''] = line.split('|')
    return { key, code, name, titles: titles.split(';') }
  })

export const FIRST_NAMES =
  `Amara Bo Chidi Dolores Elif Farid Graça Hana Ingrid José Keiko Lars Mei Noor Oluwaseun Priya Renée Sana Tomás Wren Ximena Zofia`.split(
    ' ',
  )

export const LAST_NAMES =
  `O'Dell Abara Brandt Castañeda Dimas Eklund Fairweather García-Lopes Hovland Ibe Jansen Kovac Lindqvist Müller Nakagawa Orozco Petrakis Quill Rasmussen Sørby Tan Umarov Vesely Whitlock Yilmaz`.split(
    ' ',
  )

export const BUILDINGS = [
  { code: 'ARN', name: 'Arnold Hall' },
  { code: 'BRK', name: 'Brook & Stone Hall' },
  { code: 'CTR', name: 'Campus Center' },
  { code: 'DUN', name: 'Dunmore Science Building' },
  { code: 'EST', name: 'East Tower' },
  { code: 'FOX', name: 'Fox Library' },
] as const
