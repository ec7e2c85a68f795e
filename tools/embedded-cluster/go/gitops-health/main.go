// Evaluates health checks as Argo CD, Flux and kstatus do. It reads cases from standard input and prints one verdict per
// case, as JSON.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"github.com/fluxcd/pkg/apis/kustomize"
	"github.com/fluxcd/pkg/runtime/cel"
	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

type testCase struct {
	Object json.RawMessage `json:"object"`
	// Lua is a script of the ConfigMap argocd-cm.
	Lua string `json:"lua"`
	// Flux has the expressions of an entry of healthCheckExprs.
	Flux kustomize.HealthCheckExpressions `json:"flux"`
}

type argoVerdict struct {
	Status  string `json:"status"`
	Message string `json:"message"`
}

type verdict struct {
	Argo argoVerdict `json:"argo"`
	// Flux is a status of kstatus. Flux treats an error as Unknown, and keeps waiting.
	Flux    string `json:"flux"`
	Kstatus string `json:"kstatus"`
}

// luaValue converts a value of decoded JSON.
func luaValue(state *lua.LState, value any) lua.LValue {
	switch one := value.(type) {
	case bool:
		return lua.LBool(one)
	case string:
		return lua.LString(one)
	case int64:
		return lua.LNumber(one)
	case float64:
		return lua.LNumber(one)
	case []any:
		table := state.NewTable()
		for _, item := range one {
			table.Append(luaValue(state, item))
		}
		return table
	case map[string]any:
		table := state.NewTable()
		for key, item := range one {
			table.RawSetString(key, luaValue(state, item))
		}
		return table
	}
	return lua.LNil
}

// argo runs a script with the libraries that Argo CD offers to scripts of users, which do not include strings.
func argo(object map[string]any, script string) (argoVerdict, error) {
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	libraries := map[string]lua.LGFunction{
		lua.LoadLibName: lua.OpenPackage,
		lua.BaseLibName: lua.OpenBase,
		lua.TabLibName:  lua.OpenTable,
	}
	for _, name := range []string{lua.LoadLibName, lua.BaseLibName, lua.TabLibName} {
		state.Push(state.NewFunction(libraries[name]))
		state.Push(lua.LString(name))
		state.Call(1, 0)
	}
	limited, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	state.SetContext(limited)
	state.SetGlobal("obj", luaValue(state, object))
	if err := state.DoString(script); err != nil {
		return argoVerdict{}, err
	}
	table, ok := state.Get(-1).(*lua.LTable)
	if !ok {
		return argoVerdict{}, fmt.Errorf("the script returns %s instead of a table", state.Get(-1).Type())
	}
	field := func(name string) string { return lua.LVAsString(table.RawGetString(name)) }
	return argoVerdict{Status: field("status"), Message: field("message")}, nil
}

func flux(object *unstructured.Unstructured, expressions kustomize.HealthCheckExpressions) (string, error) {
	evaluator, err := cel.NewStatusEvaluator(&expressions)
	if err != nil {
		return "", err
	}
	result, err := evaluator.Evaluate(context.Background(), object)
	if err != nil {
		return status.UnknownStatus.String(), nil
	}
	return result.Status.String(), nil
}

func evaluate(one testCase) (verdict, error) {
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(one.Object); err != nil {
		return verdict{}, err
	}
	general, err := status.Compute(object)
	if err != nil {
		return verdict{}, err
	}
	found := verdict{Kstatus: general.Status.String()}
	if found.Argo, err = argo(object.Object, one.Lua); err != nil {
		return verdict{}, err
	}
	found.Flux, err = flux(object, one.Flux)
	return found, err
}

func run() error {
	var cases []testCase
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		return err
	}
	verdicts := []verdict{}
	for _, one := range cases {
		found, err := evaluate(one)
		if err != nil {
			return fmt.Errorf("%s: %w", one.Object, err)
		}
		verdicts = append(verdicts, found)
	}
	var output bytes.Buffer
	if err := json.NewEncoder(&output).Encode(verdicts); err != nil {
		return err
	}
	_, err := output.WriteTo(os.Stdout)
	return err
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
