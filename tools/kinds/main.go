// Writes kinds.table: the facts about the built-in Kubernetes kinds, one line each, for src/model/kinds.
//
// Two sources, each asked for what only it knows. The published Go types, by reflection: names, print order, omitempty,
// pointers, protobuf tags, strategic merge directives. The OpenAPI v3 documents of a real server: what is required,
// defaults, enums, list and map types. Descriptions are left where they are. The grammar stands at the head of the table.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"log"
	"os"
	"reflect"
	"sort"
	"strings"

	admissionregistration "k8s.io/api/admissionregistration/v1"
	apps "k8s.io/api/apps/v1"
	authentication "k8s.io/api/authentication/v1"
	authorization "k8s.io/api/authorization/v1"
	autoscaling "k8s.io/api/autoscaling/v1"
	autoscaling2 "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	coordination "k8s.io/api/coordination/v1"
	core "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	events "k8s.io/api/events/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	rbac "k8s.io/api/rbac/v1"
	scheduling "k8s.io/api/scheduling/v1"
	storage "k8s.io/api/storage/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var served = []struct {
	gv    schema.GroupVersion
	adder func(*runtime.Scheme) error
}{
	{core.SchemeGroupVersion, core.AddToScheme},
	{apps.SchemeGroupVersion, apps.AddToScheme},
	{batch.SchemeGroupVersion, batch.AddToScheme},
	{rbac.SchemeGroupVersion, rbac.AddToScheme},
	{storage.SchemeGroupVersion, storage.AddToScheme},
	{policy.SchemeGroupVersion, policy.AddToScheme},
	{networking.SchemeGroupVersion, networking.AddToScheme},
	{scheduling.SchemeGroupVersion, scheduling.AddToScheme},
	{coordination.SchemeGroupVersion, coordination.AddToScheme},
	{events.SchemeGroupVersion, events.AddToScheme},
	{discovery.SchemeGroupVersion, discovery.AddToScheme},
	{autoscaling.SchemeGroupVersion, autoscaling.AddToScheme},
	{autoscaling2.SchemeGroupVersion, autoscaling2.AddToScheme},
	{apiextensions.SchemeGroupVersion, apiextensions.AddToScheme},
	{admissionregistration.SchemeGroupVersion, admissionregistration.AddToScheme},
	{authentication.SchemeGroupVersion, authentication.AddToScheme},
	{authorization.SchemeGroupVersion, authorization.AddToScheme},
}

// Kinds that no client sends as a body and no server stores: query parameters and watch frames.
func isBody(kind string) bool {
	return kind == "DeleteOptions" || !strings.HasSuffix(kind, "Options") && !strings.HasSuffix(kind, "Event") ||
		kind == "Event"
}

type kindLine struct {
	gvk schema.GroupVersionKind
	typ reflect.Type
}

func knownKinds() []kindLine {
	scheme := runtime.NewScheme()
	var lines []kindLine
	for _, s := range served {
		if err := s.adder(scheme); err != nil {
			log.Fatal(err)
		}
	}
	for _, s := range served {
		for kind, typ := range scheme.KnownTypes(s.gv) {
			if isBody(kind) {
				lines = append(lines, kindLine{s.gv.WithKind(kind), typ})
			}
		}
	}
	v1 := schema.GroupVersion{Version: "v1"}
	lines = append(lines, kindLine{meta.SchemeGroupVersion.WithKind("DeleteOptions"), reflect.TypeOf(meta.DeleteOptions{})})
	for _, object := range []any{meta.APIGroup{}, meta.APIGroupList{}, meta.APIResourceList{}, meta.APIVersions{},
		meta.Status{}} {
		typ := reflect.TypeOf(object)
		if scheme.KnownTypes(v1)[typ.Name()] == nil {
			lines = append(lines, kindLine{v1.WithKind(typ.Name()), typ})
		}
	}
	sort.Slice(lines, func(i, j int) bool { return lines[i].gvk.String() < lines[j].gvk.String() })
	return lines
}

func main() {
	log.SetFlags(0)
	documents := flag.String("openapi", "", "folder of the server's OpenAPI v3 documents (*.json)")
	grammar := flag.String("grammar", "", "text that goes to the head of the table")
	out := flag.String("out", "", "table to write")
	flag.Parse()

	head, err := os.ReadFile(*grammar)
	if err != nil {
		log.Fatal(err)
	}
	said := readOpenAPI(*documents)
	types := newCollection(said)
	var kinds []string
	for _, k := range knownKinds() {
		name := openAPIName(k.typ)
		if said[name] == nil {
			log.Printf("left out %v: the server does not serve %s", k.gvk, name)
			continue
		}
		group := k.gvk.Group
		if group == "" {
			group = "-"
		}
		kinds = append(kinds, fmt.Sprintf("K %s %s %s %s", group, k.gvk.Version, k.gvk.Kind, types.reference(k.typ)))
	}
	types.close()

	file, err := os.Create(*out)
	if err != nil {
		log.Fatal(err)
	}
	w := bufio.NewWriter(file)
	w.Write(head)
	types.write(w)
	for _, line := range kinds {
		fmt.Fprintln(w, line)
	}
	if err := w.Flush(); err != nil {
		log.Fatal(err)
	}
	if err := file.Close(); err != nil {
		log.Fatal(err)
	}
	log.Printf("%d kinds, %d shapes", len(kinds), len(types.done))
}
