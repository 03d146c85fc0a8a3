/**
 * The public surface of each entry point as text, in docs/api. Run after a build.
 *
 *   node scripts/api-report.js           writes the reports
 *   node scripts/api-report.js --check   fails when they differ from the build
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Extractor, ExtractorConfig } from '@microsoft/api-extractor';

const root = path.join(import.meta.dirname, '..');
const ENTRY_POINTS = { index: 'dist/index', entities: 'dist/entities' };

const isCheck = process.argv.includes('--check');
const temporary = mkdtempSync(path.join(tmpdir(), 'api-report-'));
let isSame = true;
for (const [name, file] of Object.entries(ENTRY_POINTS)) {
  const config = ExtractorConfig.prepare({
    configObjectFullPath: undefined,
    packageJsonFullPath: path.join(root, 'package.json'),
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: path.join(root, `${file}.d.ts`),
      compiler: { tsconfigFilePath: path.join(root, 'tsconfig.build.json') },
      apiReport: {
        enabled: true,
        reportFileName: `${name}.api.md`,
        reportFolder: path.join(root, 'docs/api'),
        reportTempFolder: temporary,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      newlineKind: 'lf',
      messages: {
        compilerMessageReporting: { default: { logLevel: 'error' } },
        // The comments are not written for this tool; only the surface is compared.
        extractorMessageReporting: {
          default: { logLevel: 'none' },
          'ae-forgotten-export': { logLevel: 'none', addToApiReportFile: true },
        },
        tsdocMessageReporting: { default: { logLevel: 'none' } },
      },
    },
  });
  const { apiReportChanged, errorCount } = Extractor.invoke(config, {
    localBuild: !isCheck,
    messageCallback: (message) => {
      if (message.logLevel === 'error') return;
      message.handled = true;
    },
  });
  if (errorCount > 0) process.exitCode = 1;
  if (isCheck && apiReportChanged) isSame = false;
}
rmSync(temporary, { recursive: true });
if (!isSame) {
  console.error(
    'The public surface has changed. Run `npm run api:report`, read the difference in docs/api, and say in CHANGELOG.md what it means for teams.',
  );
  process.exitCode = 1;
}
