package contracttests_test
import ("testing";"fmt";"uncial/contracttests";"os";"time")
func TestZZ(t *testing.T){
	svc:=MustService(t, nil)
	for range 3 {
	target := svc.target(t)
	target.MaxWait = 70 * time.Second
	target.Only=os.Getenv("ONLY"); target.Thorough=os.Getenv("THOROUGH")!=""
	r:=contracttests.Check(t.Context(),target)
	for _,x:=range r.Results { fmt.Println(x.Outcome,x.Case,x.Duration,x.Requests,x.Reason); if x.Outcome=="fail" {fmt.Println("   ",x.Curl[:min(len(x.Curl),400)],x.Answer)} }
	fmt.Println(r.Problem,r.Duration,r.Requests)
	}
}
