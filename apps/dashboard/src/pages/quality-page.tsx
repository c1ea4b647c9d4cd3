import { useDataQuality } from '../api/queries';
import { Answered } from '../parts/states';
import { Page } from '../shell/page';

export function QualityPage() {
  const quality = useDataQuality();
  return (
    <Page title="Data quality" subtitle="What the numbers do not know">
      <Answered answer={quality} what="data quality">
        {(answer) => <pre className="panel">{JSON.stringify(answer, null, 2)}</pre>}
      </Answered>
    </Page>
  );
}
